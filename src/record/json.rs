//! JSON, to be written: `serde_json` would give numbers everywhere a comparison with its own values,
//! and a program's `assert_eq!(sum, numbers.sum())` would no longer say what is to be summed up.

use std::fmt;

/// A value.
pub(super) enum Json {
    Null,
    Integer(u64),
    Signed(i64),
    Number(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(&'static str, Self)>),
}

/// `json!([a, b])` and `json!({ "name": a, "other": b })`, of whatever is [`Into<Json>`].
macro_rules! json {
    ([$($item:expr),* $(,)?]) => {
        $crate::record::json::Json::List(vec![$($crate::record::json::Json::from($item)),*])
    };
    ({ $($key:literal: $value:expr),* $(,)? }) => {
        $crate::record::json::Json::Object(vec![
            $(($key, $crate::record::json::Json::from($value))),*
        ])
    };
}
pub(super) use json;

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Integer(number)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Self::Signed(number)
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<u8> for Json {
    fn from(number: u8) -> Self {
        Self::Integer(number.into())
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Self::Integer(number as u64)
    }
}

impl From<f64> for Json {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Self>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Self>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

fn text(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for char in text.chars() {
        match char {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            // Control characters are written by number, and what would end a script in old readers.
            '\0'..='\x1f' | '\u{2028}' | '\u{2029}' => write!(f, "\\u{:04x}", char as u32)?,
            char => write!(f, "{char}")?,
        }
    }
    f.write_str("\"")
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Signed(number) => write!(f, "{number}"),
            // JSON has no other ones.
            Self::Number(number) if number.is_finite() => write!(f, "{number}"),
            Self::Null | Self::Number(_) => f.write_str("null"),
            Self::Text(content) => text(content, f),
            Self::List(items) => {
                f.write_str("[")?;
                for (place, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if place == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Self::Object(fields) => {
                f.write_str("{")?;
                for (place, (key, value)) in fields.iter().enumerate() {
                    f.write_str(if place == 0 { "" } else { "," })?;
                    text(key, f)?;
                    write!(f, ":{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_written_is_read_by_others() {
        let awkward = "a \"b\" \\ \n \u{1} \u{2028} ä </script>";
        let written = json!({
            "text": awkward,
            "list": vec![1_u64, u64::MAX],
            "less": vec![-1_i64, i64::MIN],
            "half": 0.5,
            "none": None::<u64>,
            "nan": f64::NAN,
            "empty": Vec::<u64>::new(),
            "nested": json!([json!({}), "x", 3_usize]),
        });
        let read: serde_json::Value = serde_json::from_str(&written.to_string()).unwrap();
        let expected = serde_json::json!({
            "text": awkward,
            "list": [1, u64::MAX],
            "less": [-1, i64::MIN],
            "half": 0.5,
            "none": null,
            "nan": null,
            "empty": [],
            "nested": [{}, "x", 3],
        });
        assert_eq!(read, expected);
    }
}

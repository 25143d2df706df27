//! The main example, run as a user runs it, on folders good and bad.

use image::{Rgb, RgbImage};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// `cargo test` builds the examples beside the tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.parent().unwrap().parent().unwrap();
    profile.join("examples").join("living_world")
}

fn run(arguments: &[&str]) -> Output {
    Command::new(program()).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn small_world<'a>(assets: &'a str, out: &'a str) -> Vec<&'a str> {
    let mut arguments = vec!["--assets", assets, "--out", out];
    arguments.extend(["--creatures", "2000", "--frames", "20"]);
    arguments
}

/// A hundred images, three of which are cut short.
fn hundred(folder: &Path) -> [String; 3] {
    for index in 0..100_u8 {
        let kind = if index % 2 == 0 { "png" } else { "jpg" };
        let path = folder.join(format!("image {index:02}#.{kind}"));
        RgbImage::from_fn(48, 32, |x, y| {
            Rgb([index.wrapping_mul(2), (x * 5) as u8, (y * 7) as u8])
        })
        .save(&path)
        .unwrap();
    }
    ["image 10#.png", "image 33#.jpg", "image 77#.jpg"].map(|name| {
        let path = folder.join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        name.to_owned()
    })
}

#[test]
fn three_cut_images_of_a_hundred_are_named_and_the_others_load() {
    let folder = folder("hundred");
    let broken = hundred(&folder);
    let out = folder.join("out.png");
    let mut arguments = small_world(folder.to_str().unwrap(), out.to_str().unwrap());
    let output = run(&arguments);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    assert!(stdout.contains("assets: 97 loaded, 3 failed"), "{stdout}");
    for name in &broken {
        let lines = stderr.lines().filter(|line| line.contains(name.as_str()));
        assert_eq!(
            lines.filter(|line| line.starts_with("failed: ")).count(),
            1,
            "{stderr}"
        );
    }
    arguments.push("--strict");
    assert!(!run(&arguments).status.success());
}

#[test]
fn one_thread_and_two_give_the_same_world_bit_for_bit() {
    let folder = folder("same");
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    let pictures = ["1", "2"].map(|threads| {
        let out = folder.join(format!("{threads}.png"));
        let mut arguments = small_world(assets, out.to_str().unwrap());
        arguments.extend(["--strict", "--threads", threads]);
        let output = run(&arguments);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{stderr}");
        let hash = stdout.lines().find(|line| line.starts_with("world hash: "));
        (hash.unwrap().to_owned(), fs::read(out).unwrap())
    });
    assert!(pictures[0] == pictures[1]);
}

#[test]
fn bad_flags_and_folders_are_named() {
    let out = folder("bad").join("out.png");
    let out = out.to_str().unwrap();
    for (arguments, named) in [
        (vec!["--creature", "5"], "--creature"),
        (vec!["--frames", "many"], "\"many\""),
        (vec!["--threads", "0"], "--threads"),
        (vec!["--out"], "--out"),
        (vec!["--frames", "1", "extra"], "extra"),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains(named),
            "{}",
            text(&output.stderr)
        );
    }
    let output = run(&small_world("no/such/folder", out));
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("no/such/folder"));
    let output = run(&small_world(
        env!("CARGO_TARGET_TMPDIR"),
        "/no/such/place.png",
    ));
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("/no/such/place.png"));
}

#[test]
fn an_empty_folder_is_a_world_of_sea() {
    let folder = folder("empty");
    let out = folder.with_extension("png");
    let arguments = small_world(folder.to_str().unwrap(), out.to_str().unwrap());
    let output = run(&arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("all sea"));
    assert!(out.exists());
}

#[test]
fn a_bad_world_file_is_reported_by_its_line() {
    let folder = folder("bad_world");
    RgbImage::new(64, 64).save(folder.join("a.png")).unwrap();
    let out = folder.with_extension("png");
    for (world, line) in [
        ("name here\ngrid 2 2\ntile 5 0 a.png\n", "line 3"),
        ("grid 2 2\ntile 1 1 a.png\n\ngrid 1 1\n", "line 4"),
    ] {
        fs::write(folder.join("map.world"), world).unwrap();
        let output = run(&small_world(
            folder.to_str().unwrap(),
            out.to_str().unwrap(),
        ));
        let stderr = text(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        assert!(
            stderr.contains("map.world") && stderr.contains(line),
            "{stderr}"
        );
        let stdout = text(&output.stdout);
        assert!(stdout.contains("assets: 1 loaded, 1 failed"), "{stdout}");
    }
}

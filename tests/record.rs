//! What is recorded of an app, and what comes of it.
#![allow(missing_docs, reason = "a test")]

use bevy_app::{App, PostUpdate, Update};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_heartbeat::record::{Cause, FlightRecorder, Record, Trace};
use bevy_heartbeat::{HeartbeatPlugin, Lane, ParQuery, SpawnJob};
use browser::{browser, show};
use heartbeat_pool::record::Recorder;
use picky::Picky;
use recordings::{folder, turn};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

#[path = "common/browser.rs"]
mod browser;
#[path = "common/chrome_json.rs"]
mod chrome_json;
#[path = "common/picky.rs"]
mod picky;
#[path = "common/recordings.rs"]
mod recordings;

fn work(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

#[derive(Resource, Default)]
struct Shared(u64);

/// Frames that are to be long.
#[derive(Resource, Default)]
struct Slow(bool);

fn writes_first(mut shared: ResMut<Shared>) {
    shared.0 += 1;
    work(Duration::from_micros(600));
}

fn writes_second(mut shared: ResMut<Shared>) {
    shared.0 += 1;
    work(Duration::from_micros(600));
}

fn is_alone(slow: Res<Slow>) {
    work(Duration::from_millis(if slow.0 { 60 } else { 1 }));
}

fn app(record: Record, folder: &Path) -> App {
    let mut app = unfinished(record, folder);
    app.finish();
    app.cleanup();
    app
}

fn unfinished(record: Record, folder: &Path) -> App {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin {
        threads: Some(2),
        record,
        record_to: folder.to_owned(),
        ..Default::default()
    });
    app.init_resource::<Shared>().init_resource::<Slow>();
    app.add_systems(Update, (writes_first, writes_second, is_alone));
    app.add_systems(PostUpdate, || work(Duration::from_micros(200)));
    app
}

const NEVER: Record = Record::LateFrames {
    over: Duration::from_secs(3600),
    keep: 8,
};

fn trace_of(frames: usize) -> Trace {
    let mut app = app(NEVER, &folder("unused"));
    (0..frames).for_each(|_| app.update());
    app.world().resource::<FlightRecorder>().trace()
}

#[test]
fn the_causes_add_up_to_the_frames_time_times_the_threads() {
    let _turn = turn();
    let trace = trace_of(40);
    let frames: Vec<_> = trace.frames().collect();
    assert!((8..=9).contains(&frames.len()), "{frames:?}");
    for (number, time) in frames {
        let account = trace.why_idle(number).unwrap();
        let sum: Duration = account.causes.iter().map(|(_, time)| *time).sum();
        assert_eq!(account.time, time);
        assert_eq!(
            sum,
            time * u32::try_from(account.threads).unwrap(),
            "{account:?}"
        );
        let running = account
            .causes
            .iter()
            .find(|(cause, _)| *cause == Cause::Running);
        assert!(running.is_some(), "{account:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn who_blocks_in_a_system_is_seen_to_whatever_thread_it_is_on() {
    use bevy_heartbeat::record::Account;
    let _turn = turn();
    let mut app = unfinished(NEVER, &folder("blocked"));
    let block = || thread::sleep(Duration::from_millis(20));
    app.add_systems(bevy_app::First, (block, block));
    app.finish();
    app.cleanup();
    (0..9).for_each(|_| app.update());
    let trace = app.world().resource::<FlightRecorder>().trace();
    let frames: Vec<_> = trace.frames().collect();
    // Of the first one, and of the last one's end, a thread's clocks say nothing yet.
    let accounts = frames[1..frames.len() - 1].iter();
    let accounts: Vec<_> = accounts
        .map(|(number, _)| trace.why_idle(*number))
        .collect();
    let time = |account: &Account, of: Cause| {
        let found = account.causes.iter().find(|(cause, _)| *cause == of);
        found.map_or(Duration::ZERO, |(_, time)| *time)
    };
    let is_seen = |account: &Account| {
        let blocked = time(account, Cause::Blocked);
        let known = blocked + time(account, Cause::NoCore);
        known > Duration::from_millis(39) && blocked > Duration::from_millis(30)
    };
    // Beside other programs part of it is taken for a lack of a core, in some of the frames.
    assert!(accounts.iter().flatten().any(is_seen), "{accounts:?}");
}

#[test]
fn a_forecast_is_no_longer_with_more_threads_and_never_less_than_its_span() {
    let _turn = turn();
    let trace = trace_of(40);
    let (number, _) = trace.frames().next().unwrap();
    let forecast = trace.forecast(number).unwrap();
    let times: Vec<_> = forecast.times.iter().map(|(_, time, _)| *time).collect();
    assert!(times.windows(2).all(|pair| pair[1] <= pair[0]), "{times:?}");
    assert!(
        times.iter().all(|time| *time >= forecast.span),
        "{forecast:?}"
    );
    assert_eq!(times[0], forecast.work);
}

#[derive(Component)]
struct Creature;

fn loops(creatures: Query<&Creature>) {
    creatures
        .par_iter()
        .for_each(|_| work(Duration::from_micros(20)));
}

fn loops_too(mut creatures: ParQuery<&Creature>) {
    creatures
        .par_iter_mut()
        .for_each(|_| work(Duration::from_micros(20)));
}

#[test]
fn one_threads_frames_show_that_loops_are_parallel() {
    let _turn = turn();
    let systems: [fn(&mut App); 2] = [
        |app| {
            app.add_systems(Update, loops);
        },
        |app| {
            app.add_systems(Update, loops_too);
        },
    ];
    for add in systems {
        let mut app = App::new();
        app.add_plugins(HeartbeatPlugin {
            threads: Some(1),
            record: NEVER,
            record_to: folder("loops"),
            ..Default::default()
        });
        app.world_mut().spawn_batch((0..200).map(|_| Creature));
        add(&mut app);
        app.finish();
        app.cleanup();
        (0..20).for_each(|_| app.update());
        let trace = app.world().resource::<FlightRecorder>().trace();
        // Whatever thread is interrupted in a frame by other programs, it is not in the shortest.
        let frames = trace.frames().skip(1);
        let (number, _) = frames.min_by_key(|(_, time)| *time).unwrap();
        let times = trace.forecast(number).unwrap().times;
        let on = |threads| times.iter().find(|(n, ..)| *n == threads).unwrap().1;
        // Nearly all of the frame is the loop.
        assert!(on(2) < on(1) * 3 / 4, "{times:?}");
        assert!(on(8) < on(2) / 2, "{times:?}");
    }
}

#[test]
fn each_turn_of_a_job_has_the_jobs_name() {
    let _turn = turn();
    let mut app = app(NEVER, &folder("unused"));
    let mut commands = app.world_mut().commands();
    let code = |cx: bevy_heartbeat::JobContext| async move {
        loop {
            work(Duration::from_millis(1));
            if cx.next_frame().await.is_err() {
                return;
            }
        }
    };
    commands.spawn_job(Lane::Background, code).named("survey");
    app.world_mut().flush();
    let path = folder("jobs").join("trace.json");
    let turns = |app: &App| {
        app.world()
            .resource::<FlightRecorder>()
            .save(&path)
            .unwrap();
        let trace: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let is_turn = |event: &&Value| event["name"] == "survey" && event["cat"] == "span";
        events.iter().filter(is_turn).count()
    };
    let mut seen = 0;
    let start = Instant::now();
    while seen < 2 {
        assert!(start.elapsed() < Duration::from_secs(60), "{seen} turns");
        app.update();
        seen = seen.max(turns(&app));
    }
}

#[test]
fn a_late_frame_is_written_in_three_forms_with_the_names_of_systems() {
    let _turn = turn();
    let folder = folder("late");
    let record = Record::LateFrames {
        over: Duration::from_millis(50),
        keep: 3,
    };
    let mut app = app(record, &folder);
    (0..10).for_each(|_| app.update());
    app.world_mut().resource_mut::<Slow>().0 = true;
    let before = app.world().resource::<FlightRecorder>().files();
    app.update();
    assert_eq!(app.world().resource::<FlightRecorder>().files(), before + 1);
    // Its end waits for the files.
    drop(app);
    let read = |extension: &str| {
        fs::read_to_string(folder.join(format!("late-frame-11.{extension}"))).unwrap()
    };
    let trace: Value = serde_json::from_str(&read("json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let has = |category: &str, name: &str| {
        let is = |event: &&Value| {
            event["cat"] == category && event["name"].as_str().unwrap().contains(name)
        };
        events.iter().filter(is).count()
    };
    assert_eq!(has("frame", "frame 11"), 1);
    assert_eq!(has("frame", "frame "), 4);
    assert_eq!(has("frame", "frame 7"), 0);
    assert!(has("system", "is_alone") >= 4);
    assert!(has("schedule", "Update") >= 4);
    let report = read("txt");
    assert!(
        report.contains("frame 11") && report.contains("is_alone"),
        "{report}"
    );
    let page = read("html");
    assert!(page.contains("is_alone") && !page.contains("HEARTBEAT-DATA"));
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "it needs a network"
    );
}

#[test]
fn a_schedules_span_ends_before_the_next_one_begins() {
    let _turn = turn();
    let path = folder("spans").join("trace.json");
    trace_of(10).save(&path).unwrap();
    let trace: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let slice = |event: &Value| {
        let begin = event["ts"].as_f64().unwrap();
        (begin, begin + event["dur"].as_f64().unwrap())
    };
    let spans = |name: &str| {
        let is = |event: &&Value| event["cat"] == "schedule" && event["name"] == name;
        let mut spans: Vec<_> = events.iter().filter(is).map(slice).collect();
        spans.sort_by(|one, other| one.0.total_cmp(&other.0));
        spans
    };
    let (update, post_update) = (spans("schedule Update"), spans("schedule PostUpdate"));
    assert!(update.len() >= 8, "{update:?}");
    assert_eq!(update.len(), post_update.len());
    for (update, post_update) in update.iter().zip(&post_update) {
        assert!(
            update.1 <= post_update.0,
            "{update:?} beside {post_update:?}"
        );
    }
}

#[test]
fn in_chromes_format_slices_nest_and_each_flow_lies_in_two_of_them() {
    let _turn = turn();
    let folder = folder("chrome");
    let last = trace_of(40);
    last.save(folder.join("last.json")).unwrap();
    drop(app_of_all(&folder, 40));
    for name in ["last.json", "trace.json"] {
        let found = chrome_json::check(&fs::read_to_string(folder.join(name)).unwrap());
        let slices: usize = found.slices.values().map(Vec::len).sum();
        assert!(slices > 40 && found.flows > 0, "{name}: {found:?}");
        let has = |name: &str| found.threads.values().any(|thread| thread == name);
        assert!(has("heartbeat (0)"), "{:?}", found.threads);
    }
}

/// An app that has everything recorded, after so many frames.
fn app_of_all(folder: &Path, frames: usize) -> App {
    let mut app = app(Record::Always, folder);
    (0..frames).for_each(|_| app.update());
    app
}

#[test]
fn all_is_written_when_the_app_ends() {
    let _turn = turn();
    let folder = folder("always");
    drop(app_of_all(&folder, 50));
    let report = fs::read_to_string(folder.join("trace.txt")).unwrap();
    assert!(report.starts_with("50 frames"), "{report}");
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Own;

#[test]
fn a_panic_leaves_the_last_frames() {
    let _turn = turn();
    let folder = folder("panic");
    let mut app = app(NEVER, &folder);
    // The first panic of the process is not the app's, but comes of the plugin's look at this one.
    let mut own = Schedule::new(Own);
    own.set_executor(Picky::<Shared>::new());
    app.add_schedule(own);
    app.add_systems(Update, |shared: Res<Shared>| {
        assert!(shared.0 < 20, "this panic is part of the test");
    });
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        (0..20).for_each(|_| app.update());
    }));
    assert!(outcome.is_err());
    let file = folder.join("panic.txt");
    let report = fs::read_to_string(&file).unwrap();
    assert!(report.contains("is_alone"), "{report}");
    // Only the first one is looked for.
    fs::remove_file(&file).unwrap();
    let again = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| app.update()));
    assert!(again.is_err() && !file.exists());
}

#[test]
fn however_many_frames_are_to_be_kept_some_are() {
    let _turn = turn();
    let record = Record::LateFrames {
        over: Duration::from_secs(3600),
        keep: usize::MAX,
    };
    let mut app = app(record, &folder("unused"));
    (0..5).for_each(|_| app.update());
    let trace = app.world().resource::<FlightRecorder>().trace();
    assert!(trace.frames().count() >= 4);
}

#[test]
fn a_folder_that_cannot_be_written_is_named_and_the_app_goes_on() {
    let _turn = turn();
    let folder = folder("a-file");
    fs::write(&folder, "not a folder").unwrap();
    let mut app = app(NEVER, &folder);
    (0..3).for_each(|_| app.update());
    let recorder = app.world().resource::<FlightRecorder>();
    let error = recorder.save(folder.join("trace.json")).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&format!("{}: ", folder.display())), "{text}");
    app.update();
}

#[test]
fn the_page_shows_itself_in_a_browser() {
    let _turn = turn();
    let Some(browser) = browser() else {
        eprintln!("there is no browser here");
        return;
    };
    let trace = trace_of(20);
    let page = folder("page").join("trace.html");
    trace.save(&page).unwrap();
    let shown = show(browser, &page, "");
    // Set by the last line of its script.
    assert!(
        shown.contains("data-ready=\"yes\""),
        "its script failed: {shown}"
    );
    let options = shown.matches("<option").count();
    assert_eq!(options, trace.frames().count());
    assert!(shown.contains("Where the threads' time went"));
    assert!(shown.contains("its critical path"));
    // It opens at the longest, or where its address says.
    let longest = trace.frames().max_by_key(|(_, time)| *time).unwrap().0;
    let other = trace.frames().find(|(number, _)| *number != longest);
    let (other, _) = other.unwrap();
    let opens_at = |shown: &str, frame: u64| shown.contains(&format!("data-frame=\"{frame}\""));
    assert!(opens_at(&shown, longest), "{shown}");
    assert!(opens_at(
        &show(browser, &page, &format!("#frame={other}")),
        other
    ));
    assert!(opens_at(&show(browser, &page, "#frame=999999"), longest));
}

/// The app's end waits for what is being written, but for no job that blocks.
#[test]
fn a_late_frame_is_written_while_jobs_block_and_the_app_ends() {
    let _turn = turn();
    let folder = folder("late-beside-blocked");
    let over = Duration::from_millis(40);
    let mut app = app(Record::LateFrames { over, keep: 3 }, &folder);
    let (end, blocks) = mpsc::channel::<()>();
    let blocks = Mutex::new(blocks);
    // Ends the job once the app has ended, or if that takes too long.
    let (ended, ends) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        let is_in_time = ends.recv_timeout(Duration::from_secs(60)).is_ok();
        drop(end);
        is_in_time
    });
    let pool = heartbeat_pool::global();
    let blocked = pool.spawn_future(Lane::Background, async move {
        blocks.lock().unwrap().recv().unwrap_err();
    });
    (0..5).for_each(|_| app.update());
    app.world_mut().resource_mut::<Slow>().0 = true;
    app.update();
    app.world_mut().resource_mut::<Slow>().0 = false;
    (0..50).for_each(|_| app.update());
    drop(app);
    ended.send(()).unwrap();
    assert!(watch.join().unwrap(), "the app waited for the job");
    pool.block_on(blocked);
    let report = fs::read_to_string(folder.join("late-frame-6.txt")).unwrap();
    // Of 60 ms or more.
    let late = report.split("\nframe 6: ").nth(1);
    let millis = late.and_then(|late| late.split_once('.')?.0.parse::<u32>().ok());
    assert!(millis.is_some_and(|millis| millis >= 60), "{report}");
}

/// Each app has its own frames, systems and files, though they share the recorder.
#[test]
fn two_apps_with_one_folder_are_told_apart() {
    let _turn = turn();
    let folder = folder("two-apps");
    let mut first = app(Record::Always, &folder);
    let mut second = unfinished(Record::Always, &folder);
    second.add_systems(Update, only_in_the_second);
    second.finish();
    second.cleanup();
    for app in [&mut first, &mut second] {
        (0..3).for_each(|_| app.update());
    }
    let numbers = |app: &App| -> Vec<u64> {
        let trace = app.world().resource::<FlightRecorder>().trace();
        trace.frames().map(|(number, _)| number).collect()
    };
    assert_eq!([numbers(&first), numbers(&second)], [[1, 2, 3], [1, 2, 3]]);
    drop((first, second));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let reports = ["trace.txt", "trace-app-2.txt"].map(read);
    let has_own = |report: &String| report.contains("only_in_the_second");
    assert_eq!(
        reports.each_ref().map(has_own),
        [false, true],
        "{reports:?}"
    );
    assert!(reports[0].contains("is_alone"));
}

fn only_in_the_second() {
    work(Duration::from_millis(2));
}

#[test]
fn an_app_that_comes_takes_nothing_from_an_older_one_and_the_last_to_go_ends_the_recording() {
    let _turn = turn();
    let mut older = app(NEVER, &folder("older"));
    (0..3).for_each(|_| older.update());
    let newer = app(NEVER, &folder("newer"));
    let trace = older.world().resource::<FlightRecorder>().trace();
    assert_eq!(trace.frames().count(), 3);
    drop(older);
    assert!(Recorder::is_on());
    drop(newer);
    assert!(!Recorder::is_on());
}

use chrono::{DateTime, FixedOffset};
use cron::Schedule;
use std::str::FromStr;

fn next(rule: &str, after: &str) -> Option<DateTime<FixedOffset>> {
    let time = DateTime::parse_from_rfc3339(after).unwrap();
    Schedule::from_str(rule).unwrap().after(&time).next()
}

fn year(found: Option<DateTime<FixedOffset>>) -> String {
    found.map_or("never".to_string(), |time| time.format("%Y").to_string())
}

#[test]
fn the_next_day() {
    assert_eq!(year(next("0 0 0 * * * *", "2024-02-27T10:00:00+08:00")), "2024");
}

#[test]
fn another_year() {
    assert_eq!(year(next("0 0 0 * * * 2030", "2024-05-07T10:00:00+08:00")), "2030");
}

#[test]
fn no_year() {
    assert_eq!(year(next("0 0 0 * * * 2020", "2024-05-07T10:00:00+08:00")), "never");
}

// cron 0.12.1: asked on the day that other years do not have.
#[test]
fn on_a_leap_day() {
    assert_eq!(year(next("0 0 0 * * * 2100", "2024-02-29T10:00:00+08:00")), "2100");
}

pub fn is_leap(year: i32) -> bool {
    if cfg!(fault = "1") {
        return year % 4 == 0;
    }
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

pub fn day_of_year(year: i32, month: u32, day: u32) -> u32 {
    let mut days = day;
    for before in 1..month {
        days += days_in_month(year, before);
    }
    days
}

/// Reads `2024-02-29`.
pub fn parse(text: &str) -> Option<(i32, u32, u32)> {
    let mut parts = text.split('-');
    let year = number(parts.next()?)? as i32;
    let month = number(parts.next()?)?;
    let day = number(parts.next()?)?;
    Some((year, month, day))
}

fn number(text: &str) -> Option<u32> {
    if cfg!(fault = "2") && text.starts_with('0') {
        return None;
    }
    text.parse().ok()
}

pub fn day_of_text(text: &str) -> u32 {
    let (year, month, day) = parse(text).unwrap();
    day_of_year(year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leap_years() {
        assert!(is_leap(2024));
        assert!(!is_leap(2023));
    }

    #[test]
    fn march_of_a_common_year() {
        assert_eq!(day_of_year(2023, 3, 1), 60);
    }

    #[test]
    fn march_of_a_century() {
        assert_eq!(day_of_year(1900, 3, 1), 60);
    }

    #[test]
    fn texts() {
        assert_eq!(day_of_text("2023-12-31"), 365);
    }

    #[test]
    fn texts_with_zeros() {
        assert_eq!(day_of_text("2023-03-01"), 60);
    }
}

pub struct Window {
    pub start: usize,
    pub length: usize,
}

pub fn window_at(position: usize, width: usize, total: usize) -> Window {
    let start = position.saturating_sub(width / 2);
    let length = if cfg!(fault = "4") { width } else { width.min(total - start) };
    Window { start, length }
}

pub fn sum_of(values: &[i64], start: usize, length: usize) -> i64 {
    values[start..start + length].iter().sum()
}

/// The mean of the values around a position.
pub fn smoothed(values: &[i64], position: usize, width: usize) -> i64 {
    let window = window_at(position, width, values.len());
    sum_of(values, window.start, window.length) / window.length as i64
}

pub fn steepest(values: &[i64]) -> usize {
    let mut best = 0;
    for at in 1..values.len() {
        let is_steeper = step(values, at) > step(values, best);
        if is_steeper {
            best = at;
        }
    }
    best
}

fn step(values: &[i64], at: usize) -> i64 {
    if at == 0 {
        return 0;
    }
    let change = values[at] - values[at - 1];
    if cfg!(fault = "5") { change } else { change.abs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_in_the_middle() {
        assert_eq!(smoothed(&[1, 2, 3, 4, 5], 2, 3), 3);
    }

    #[test]
    fn smooth_at_the_end() {
        assert_eq!(smoothed(&[1, 2, 3, 4, 6], 4, 4), 4);
    }

    #[test]
    fn steepest_rise() {
        assert_eq!(steepest(&[1, 2, 9, 10]), 2);
    }

    #[test]
    fn steepest_fall() {
        assert_eq!(steepest(&[9, 10, 1, 3]), 2);
    }
}

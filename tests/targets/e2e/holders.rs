// Text and lists of Rust's standard library: slices, String and Vec, by reference and returned.
mod held {
    #[inline(never)]
    pub fn text(part: &str, count: i32) -> usize {
        part.len() + count as usize
    }
    #[inline(never)]
    pub fn owned(name: &String, count: i32) -> usize {
        name.len() + count as usize
    }
    #[inline(never)]
    pub fn sum(numbers: &[i64], label: &str) -> i64 {
        numbers.iter().sum::<i64>() + label.len() as i64
    }
    #[inline(never)]
    pub fn grow(list: &mut Vec<u16>, by: u16) -> usize {
        list.push(by);
        list.len()
    }
    #[inline(never)]
    pub fn names(all: &[String]) -> usize {
        all.len()
    }
    #[inline(never)]
    pub fn shout(text: &str) -> String {
        text.to_uppercase()
    }
    #[inline(never)]
    pub fn head(text: &str) -> &str {
        &text[..4]
    }
    #[inline(never)]
    pub fn count(to: u8) -> Vec<u8> {
        (0..to).collect()
    }
}

fn main() {
    let name = String::from("kettle");
    let mut list = vec![7u16, 9];
    let all = vec![name.clone(), "pan".to_string()];
    let mut check = held::text("naïve", 1) + held::text("", 2) + held::owned(&name, 3);
    check += held::sum(&[4, -5, 6], "three") as usize + held::sum(&[], "none") as usize;
    check += held::grow(&mut list, 11) + held::names(&all);
    check += held::shout("quiet").len() + held::head("headline").len() + held::count(3).len();
    println!("{check}");
}

// Durations of Rust; each function prints what it got and gave as a line of JSON.
mod whole {
    use std::time::Duration;
    fn shown(d: &Duration) -> String { format!("{{\"secs\":{},\"nanos\":{}}}", d.as_secs(), d.subsec_nanos()) }
    pub struct Plan { pub every: Duration, pub until: Option<Duration>, pub times: u32 }

    #[inline(never)]
    #[no_mangle]
    pub fn waits(d: Duration, p: &Duration, o: &Option<Duration>) -> Duration {
        let sum = d + *p + o.unwrap_or_default();
        let o = o.as_ref().map_or("\"None\"".to_string(), |d| format!("{{\"Some\":{}}}", shown(d)));
        println!("waits {{\"d\":{},\"p\":{},\"o\":{},\"return\":{}}}", shown(&d), shown(p), o, shown(&sum));
        sum
    }

    #[inline(never)]
    #[no_mangle]
    pub fn planned(plan: &Plan, all: &[Duration]) -> u64 {
        let until = plan.until.as_ref().map_or("\"None\"".to_string(), |d| format!("{{\"Some\":{}}}", shown(d)));
        let list: Vec<String> = all.iter().map(shown).collect();
        println!("planned {{\"plan\":{{\"every\":{},\"until\":{},\"times\":{}}},\"all\":[{}],\"return\":{}}}",
            shown(&plan.every), until, plan.times, list.join(","), plan.every.as_secs());
        plan.every.as_secs()
    }
}

fn main() {
    use std::time::Duration;
    let long = whole::waits(Duration::from_millis(1500), &Duration::from_nanos(7), &Some(Duration::from_secs(3)));
    let plan = whole::Plan { every: long, until: None, times: 4 };
    println!("{}", if whole::planned(&plan, &[long, Duration::new(1 << 40, 999_999_999), Duration::ZERO]) == 4 { "" } else { "no" });
}

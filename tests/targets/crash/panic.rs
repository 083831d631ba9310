// An index out of bounds with panic=abort.
struct Table {
    rows: Vec<u32>,
}
impl Table {
    #[inline(never)]
    fn row(&self, number: usize) -> u32 {
        self.rows[number]
    }
}
#[inline(never)]
fn total(table: &Table, count: usize) -> u32 {
    (0..count).map(|number| table.row(number)).sum()
}
fn main() {
    let table = Table { rows: vec![3, 4, 5] };
    println!("{}", total(&table, 3));
    println!("{}", total(&table, 4));
}

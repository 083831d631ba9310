// Reads through a raw pointer that was made from a number.
#[repr(C)]
struct Header {
    magic: u32,
    length: u32,
}
#[inline(never)]
unsafe fn length_of(header: *const Header) -> u32 {
    unsafe { (*header).length }
}
fn main() {
    let good = Header { magic: 7, length: 12 };
    println!("{}", unsafe { length_of(&good) } + good.magic);
    let address = std::env::args().count() * 0x40_0000;
    println!("{}", unsafe { length_of(address as *const Header) });
}

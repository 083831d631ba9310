// Text and data of Rust.
use std::collections::VecDeque;

mod data {
    use std::collections::VecDeque;
    pub struct Frame { pub id: [u8; 16], pub body: Vec<u8>, pub small: [u8; 3], pub grid: [[u8; 3]; 2] }
    #[inline(never)] pub fn slice(b: &[u8]) -> usize { b.len() }
    #[inline(never)] pub fn owned(b: &Vec<u8>) -> usize { b.len() }
    #[inline(never)] pub fn ring(b: &VecDeque<u8>) -> usize { b.len() }
    #[inline(never)] pub fn signs(b: &[i8]) -> usize { b.len() }
    #[inline(never)] pub fn frame(f: &Frame) -> usize { f.body.len() + f.id.len() + f.small.len() + f.grid.len() }
    #[inline(never)] pub fn give(n: u8) -> Vec<u8> { (0..n).collect() }
}

fn main() {
    let png: Vec<u8> = vec![0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 0, 0, 13];
    let mut id = [0u8; 16];
    for (i, b) in id.iter_mut().enumerate() { *b = (i * 16) as u8; }
    let frame = data::Frame { id, body: png.clone(), small: [1, 2, 3], grid: [[1, 2, 3], [4, 5, 6]] };
    let sum = data::slice(&png) + data::slice(b"GET / HTTP/1.1\r\n") + data::slice(&[1, 2, 3])
        + data::owned(&png) + data::ring(&png.iter().copied().collect::<VecDeque<u8>>())
        + data::signs(&[-1; 12]) + data::frame(&frame) + data::give(200).len();
    println!("{sum}");
}

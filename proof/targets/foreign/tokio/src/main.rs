//! A server on loopback and twenty clients of it, on two threads of tokio's; a task that panics; timers and channels.
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

fn square(of: u64) -> u64 {
    of * of
}

async fn serve(listener: TcpListener) {
    loop {
        let Ok((mut stream, _)) = listener.accept().await else { return };
        tokio::spawn(async move {
            let mut number = [0u8; 8];
            if stream.read_exact(&mut number).await.is_err() {
                return;
            }
            let answer = square(u64::from_le_bytes(number));
            let _ = stream.write_all(&answer.to_le_bytes()).await;
        });
    }
}

async fn ask(port: u16, number: u64) -> std::io::Result<u64> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(&number.to_le_bytes()).await?;
    let mut answer = [0u8; 8];
    stream.read_exact(&mut answer).await?;
    Ok(u64::from_le_bytes(answer))
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(serve(listener));
    let (sender, mut receiver) = mpsc::channel(4);
    for number in 0..20 {
        let sender = sender.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(number % 5)).await;
            let answer = ask(port, number).await.expect("an answer");
            sender.send((number, answer)).await.expect("a receiver");
        });
    }
    drop(sender);
    let mut answers = Vec::new();
    while let Some(answer) = receiver.recv().await {
        answers.push(answer);
    }
    answers.sort();
    println!("{answers:?}");
    std::panic::set_hook(Box::new(|_| {}));
    let failed = tokio::spawn(async { panic!("on purpose") }).await;
    println!("panicked: {}", failed.unwrap_err().is_panic());
    std::process::exit(9);
}

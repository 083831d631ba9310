//! A client and a server of HTTP/1.1 over TLS (rustls), in one process: `talks CERTIFICATE KEY`, both DER.
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

fn serve(stream: TcpStream, config: Arc<ServerConfig>) -> std::io::Result<()> {
    let connection = ServerConnection::new(config).expect("a configuration");
    let mut reader = BufReader::new(StreamOwned::new(connection, stream));
    loop {
        let mut request = String::new();
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 && line != "\r\n" {
            request.push_str(&line);
            line.clear();
        }
        if request.is_empty() {
            return Ok(());
        }
        let length = if request.starts_with("GET /large ") { 100_000 } else { 6 };
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n");
        let body = "a".repeat(length);
        let stream = reader.get_mut();
        let parts = [IoSlice::new(head.as_bytes()), IoSlice::new(body.as_bytes())];
        let mut sent = stream.write_vectored(&parts)?;
        if sent < head.len() {
            stream.write_all(&head.as_bytes()[sent..])?;
            sent = head.len();
        }
        stream.write_all(&body.as_bytes()[sent - head.len()..])?;
        stream.flush()?;
    }
}

#[inline(never)]
fn fetch<S: Read + Write>(stream: &mut S, path: &str) -> std::io::Result<usize> {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t0p\r\n\r\n")?;
    stream.flush()?;
    let mut answer = Vec::new();
    let mut part = [0; 4096];
    loop {
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&answer[..end]).into_owned();
            let length = head.rsplit("Content-Length: ").next().and_then(|text| text.parse().ok());
            if answer.len() >= end + 4 + length.unwrap_or(0usize) {
                return Ok(answer.len() - end - 4);
            }
        }
        let count = stream.read(&mut part)?;
        answer.extend_from_slice(&part[..count]);
    }
}

fn main() -> std::io::Result<()> {
    let mut files = std::env::args().skip(1).map(|path| std::fs::read(path).expect("a file"));
    let certificate = CertificateDer::from(files.next().expect("a certificate"));
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(files.next().expect("a key")));
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a root");
    let offered = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a key of the certificate");
    let offered = Arc::new(offered);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept()?;
        serve(stream, offered)
    });
    let asked = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let connection = ClientConnection::new(Arc::new(asked), name).expect("a configuration");
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address)?);
    for path in ["/first", "/large", "/last"] {
        println!("{path} {}", fetch(&mut stream, path)?);
    }
    stream.conn.send_close_notify();
    stream.flush()?;
    drop(stream);
    server.join().expect("a thread").or_else(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => Ok(()),
        _ => Err(error),
    })
}

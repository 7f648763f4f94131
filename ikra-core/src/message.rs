//! Texts in constants: messages composed at compile time, and comparison.

/// `==` of texts in constants.
#[must_use]
pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut n = 0;
    while n < a.len() && n < b.len() && a[n] == b[n] {
        n += 1;
    }
    n == a.len() && n == b.len()
}

/// A message composed at compile time.
#[derive(Debug)]
pub struct Message {
    bytes: [u8; 1024],
    len: usize,
}

impl Message {
    /// An empty message.
    #[allow(clippy::new_without_default, reason = "messages are made in constants, where `Default` cannot be called")]
    pub const fn new() -> Self {
        Self { bytes: [0; 1024], len: 0 }
    }

    /// The message, followed by this text.
    pub const fn push(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut n = 0;
        while n < text.len() && self.len < self.bytes.len() {
            self.bytes[self.len] = text[n];
            self.len += 1;
            n += 1;
        }
        self
    }

    /// The message, followed by this number.
    pub const fn push_number(self, number: u32) -> Self {
        let message = if number < 10 { self } else { self.push_number(number / 10) };
        let digit = [b'0' + (number % 10) as u8];
        match core::str::from_utf8(&digit) {
            Ok(digit) => message.push(digit),
            Err(_) => message,
        }
    }

    /// The text.
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "data race",
        }
    }
}

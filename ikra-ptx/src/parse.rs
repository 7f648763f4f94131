//! From text to program.

mod body;
mod declarations;
mod instruction;

use crate::error::Error;
use crate::lexer::{Lexer, Placed, Token};
use crate::modifier::{Modifier, Type};
use crate::program::{Item, Linkage, Module};

/// Reads tokens, with a lookahead of one.
pub(crate) struct Parser<'t> {
    lexer: Lexer<'t>,
    next: Placed<'t>,
    /// Registers that functions need not declare.
    undeclared: &'t [(&'t str, Type)],
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, undeclared: &'t [(&'t str, Type)]) -> Result<Self, Error> {
        let mut lexer = Lexer::new(text);
        let next = lexer.next()?;
        Ok(Self { lexer, next, undeclared })
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error { line: self.next.line, message: message.into() })
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T, Error> {
        let found = match self.next.token {
            Token::Word(word) => format!("`{word}`"),
            Token::Dotted(word) => format!("`.{word}`"),
            Token::Integer(number) => format!("`{number}`"),
            Token::Float(_) => String::from("a floating-point number"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Annotation(text) => format!("the comment `{text}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => String::from("the end"),
        };
        self.error(format!("{wanted} expected, but found {found}"))
    }

    fn take(&mut self) -> Result<Token<'t>, Error> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.next, next).token)
    }

    /// Consumes the sign if it is next.
    fn sign(&mut self, sign: char) -> Result<bool, Error> {
        let is_next = self.next.token == Token::Sign(sign);
        if is_next {
            self.take()?;
        }
        Ok(is_next)
    }

    fn expect(&mut self, sign: char) -> Result<(), Error> {
        if self.sign(sign)? { Ok(()) } else { self.unexpected(&format!("`{sign}`")) }
    }

    fn word(&mut self) -> Result<&'t str, Error> {
        match self.next.token {
            Token::Word(word) => {
                self.take()?;
                Ok(word)
            }
            _ => self.unexpected("a name"),
        }
    }

    fn integer(&mut self) -> Result<i128, Error> {
        let is_negative = self.sign('-')?;
        match self.next.token {
            Token::Integer(number) => {
                self.take()?;
                Ok(if is_negative { -number } else { number })
            }
            _ => self.unexpected("a number"),
        }
    }

    fn number<N: TryFrom<i128>>(&mut self) -> Result<N, Error> {
        let line = self.next.line;
        let number = self.integer()?;
        N::try_from(number).map_err(|_| Error { line, message: format!("{number} is out of range") })
    }

    /// The rest of the line, verbatim, from the next token on.
    fn line(&mut self) -> Result<&'t str, Error> {
        let text = self.lexer.rest_of_line(self.next.start);
        self.next = self.lexer.next()?;
        Ok(text)
    }

    /// The whole text.
    pub(crate) fn module(&mut self) -> Result<Module, Error> {
        let mut items = Vec::new();
        loop {
            let linkage = self.linkage()?;
            let item = match self.next.token {
                Token::End if linkage == Linkage::Private => break,
                Token::Annotation(text) if linkage == Linkage::Private => {
                    self.take()?;
                    Item::Annotation(text.to_owned())
                }
                Token::Dotted("version" | "target" | "address_size" | "file") if linkage == Linkage::Private => {
                    Item::Directive(self.line()?.to_owned())
                }
                Token::Dotted("section") if linkage == Linkage::Private => Item::Section(self.section()?),
                Token::Dotted("entry" | "func") => Item::Function(Box::new(self.function(linkage)?)),
                Token::Dotted(word) if is_space(word) => Item::Variable(self.variable(linkage)?),
                _ => return self.unexpected("a variable, a function or a directive"),
            };
            items.push(item);
        }
        Ok(Module { items })
    }

    /// A section with data for debuggers.
    fn section(&mut self) -> Result<String, Error> {
        let start = self.next.start;
        while !matches!(self.next.token, Token::Sign('{') | Token::End) {
            self.take()?;
        }
        self.expect('{')?;
        let mut depth = 1;
        while depth > 0 {
            match self.next.token {
                Token::Sign('{') => depth += 1,
                Token::Sign('}') => depth -= 1,
                Token::End => return self.unexpected("`}`"),
                _ => {}
            }
            if depth > 0 {
                self.take()?;
            }
        }
        // Up to the brace, which has been read but not taken.
        let text = self.lexer.since(start).to_owned();
        self.take()?;
        Ok(text)
    }

    fn linkage(&mut self) -> Result<Linkage, Error> {
        let linkage = match self.next.token {
            Token::Dotted("visible") => Linkage::Visible,
            Token::Dotted("extern") => Linkage::Extern,
            Token::Dotted("weak") => Linkage::Weak,
            Token::Dotted("common") => Linkage::Common,
            _ => return Ok(Linkage::Private),
        };
        self.take()?;
        Ok(linkage)
    }
}

fn is_space(word: &str) -> bool {
    Modifier::from_name(word).is_some_and(|modifier| {
        matches!(modifier, Modifier::Global | Modifier::Const | Modifier::Shared | Modifier::Local | Modifier::Param)
    })
}

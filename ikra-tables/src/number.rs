//! Columns of numbers, and their conversions.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::DataType;

use crate::columns::{Columns, owned};
use crate::error::{TableError, shown};

/// A number of any type, without loss.
#[derive(Clone, Copy)]
pub(crate) enum Any {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

/// A type of numbers in columns.
pub(crate) trait Number: Copy + 'static {
    const NAME: &'static str;
    /// What bad rows hold until the import fails.
    const ZERO: Self;
    fn any(self) -> Any;
    /// The same number, if this type has it. Floats are rounded to the nearest one, but no number becomes infinite.
    fn of(any: Any) -> Option<Self>;
    /// The number that a text is.
    fn parse(text: &str) -> Option<Self>;
}

/// The integer that a text is. Some programs write integers with a point or an exponent: `7.0`, `1.5e3`.
fn parse_integer(text: &str) -> Option<Any> {
    let of_digits = |text: &str| {
        let signed = text.parse().ok().map(Any::Signed);
        signed.or_else(|| text.parse().ok().map(Any::Unsigned))
    };
    of_digits(text).or_else(|| of_digits(&shifted(text)?))
}

/// The digits of an integer that is written with a point or an exponent. No digit is lost, as it could be in a float.
fn shifted(text: &str) -> Option<String> {
    // No integer of 64 bits has more digits.
    const MOST: i64 = 20;
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut digits = format!("{whole}{fraction}");
    let shift = i64::from(exponent.parse::<i32>().ok()?) - fraction.len() as i64;
    if shift > MOST || !digits.ends_with(|digit: char| digit.is_ascii_digit()) {
        return None;
    }
    for _ in 0..shift {
        digits.push('0');
    }
    for _ in shift..0 {
        digits.pop().filter(|&digit| digit == '0')?;
    }
    Some(digits)
}

macro_rules! integers {
    ($($ty:ident $variant:ident $wide:ident)*) => { $(
        impl Number for $ty {
            const NAME: &'static str = stringify!($ty);
            const ZERO: Self = 0;
            #[inline(always)]
            fn any(self) -> Any {
                Any::$variant($wide::from(self))
            }
            #[inline(always)]
            fn of(any: Any) -> Option<Self> {
                match any {
                    Any::Signed(number) => number.try_into().ok(),
                    Any::Unsigned(number) => number.try_into().ok(),
                    // The cast saturates, and 2⁶³ and 2⁶⁴ are floats, while the largest integers are not.
                    Any::Float(number) => {
                        let cast = number as Self;
                        let is_same = cast as f64 == number && (cast != Self::MAX || number < Self::MAX as f64 || size_of::<Self>() < 8);
                        is_same.then_some(cast)
                    }
                }
            }
            #[inline]
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok().or_else(|| Self::of(parse_integer(text)?))
            }
        }
    )* };
}
integers! {
    i8 Signed i64 i16 Signed i64 i32 Signed i64 i64 Signed i64
    u8 Unsigned u64 u16 Unsigned u64 u32 Unsigned u64 u64 Unsigned u64
}

macro_rules! floats {
    ($($ty:ident)*) => { $(
        impl Number for $ty {
            const NAME: &'static str = stringify!($ty);
            const ZERO: Self = 0.0;
            #[inline(always)]
            fn any(self) -> Any {
                Any::Float(f64::from(self))
            }
            #[inline(always)]
            fn of(any: Any) -> Option<Self> {
                match any {
                    // Integers that are no floats would become other numbers.
                    Any::Signed(number) => {
                        let float = number as Self;
                        (float as i128 == i128::from(number)).then_some(float)
                    }
                    Any::Unsigned(number) => {
                        let float = number as Self;
                        (float as i128 == i128::from(number)).then_some(float)
                    }
                    Any::Float(number) => {
                        let float = number as Self;
                        (float.is_finite() || !number.is_finite()).then_some(float)
                    }
                }
            }
            #[inline]
            fn parse(text: &str) -> Option<Self> {
                let float: Self = text.parse().ok()?;
                let is_too_large = float.is_infinite() && text.contains(|c: char| c.is_ascii_digit());
                (!is_too_large).then_some(float)
            }
        }
    )* };
}
floats! { f32 f64 }

/// Whether a column has numbers.
pub(crate) fn is_number(ty: &DataType) -> bool {
    ty.is_integer() || ty.is_floating()
}

/// Runs code with a column of numbers as an array of its type. Rarer types are converted first.
macro_rules! with_numbers {
    ($from:expr, $name:expr, $column:expr, $needed:expr, |$array:ident| $work:expr) => {{
        let column: &dyn Array = $column;
        macro_rules! work {
            ($ty:ident) => {{
                let $array: &PrimitiveArray<$ty> = column.as_primitive();
                $work
            }};
        }
        match column.data_type() {
            DataType::Int8 => work!(Int8Type),
            DataType::Int16 => work!(Int16Type),
            DataType::Int32 => work!(Int32Type),
            DataType::Int64 => work!(Int64Type),
            DataType::UInt8 => work!(UInt8Type),
            DataType::UInt16 => work!(UInt16Type),
            DataType::UInt32 => work!(UInt32Type),
            DataType::UInt64 => work!(UInt64Type),
            DataType::Float32 => work!(Float32Type),
            DataType::Float64 => work!(Float64Type),
            found => Err($from.wrong_type($name, found, $needed)),
        }
    }};
}

/// A column of a rarer type as one of those above: half floats, and columns where all values are empty.
fn usual(column: &dyn Array) -> Option<arrow_array::ArrayRef> {
    let ty = match column.data_type() {
        DataType::Float16 => DataType::Float32,
        DataType::Null => DataType::Int8,
        _ => return Some(owned(column)),
    };
    arrow_cast::cast(column, &ty).ok()
}

/// The numbers of a column as this type: the column itself if it has it.
pub(crate) fn numbers<'a, P>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [P::Native]>, TableError>
where
    P: ArrowPrimitiveType<Native: Number>,
{
    const NEEDED: &str = "numbers";
    let column = from.column(name)?;
    from.refuse_nulls(name, column.logical_nulls().as_ref());
    if let Some(array) = column.as_primitive_opt::<P>() {
        return Ok(Cow::Borrowed(array.values()));
    }
    if from.is_text(column) {
        let values = column.as_string::<i32>().iter().enumerate().map(|(n, text)| {
            let Some(text) = text else { return P::Native::ZERO };
            P::Native::parse(text).unwrap_or_else(|| {
                from.bad(name, n, || format!("`{}` is no {}", shown(text), P::Native::NAME));
                P::Native::ZERO
            })
        });
        return Ok(Cow::Owned(values.collect()));
    }
    let Some(usual) = usual(column) else { return Err(from.wrong_type(name, column.data_type(), NEEDED)) };
    with_numbers!(from, name, &*usual, NEEDED, |array| Ok(Cow::Owned(converted::<_, P::Native>(from, name, array))))
}

fn converted<S, T>(from: &Columns<'_>, name: &str, array: &PrimitiveArray<S>) -> Vec<T>
where
    S: ArrowPrimitiveType<Native: Number>,
    T: Number,
{
    let values = array.values().iter().enumerate().map(|(n, &value)| {
        T::of(value.any()).unwrap_or_else(|| {
            if array.is_valid(n) {
                from.bad(name, n, || format!("{value:?} is no {}", T::NAME));
            }
            T::ZERO
        })
    });
    values.collect()
}

/// The values of a column of numbers as rows below `end`, if all that are not empty are such rows.
pub(crate) fn rows<T: Copy + Default>(
    from: &Columns<'_>,
    name: &str,
    column: &dyn Array,
    end: usize,
    row: impl Fn(u32) -> T,
) -> Option<Vec<T>> {
    let with = |is_row: &mut bool, any| {
        let found = u32::of(any).filter(|&row| (row as usize) < end);
        *is_row &= found.is_some();
        found.unwrap_or(0)
    };
    let numbers = with_numbers!(from, name, column, "", |array| {
        let mut is_row = true;
        let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else {
            // A loop without branches, for it is all the work of most columns.
            let rows = array.values().iter().map(|value| row(with(&mut is_row, value.any()))).collect();
            return is_row.then_some(rows);
        };
        let values = array.values().iter().zip(nulls);
        let rows =
            values.map(|(value, is_there)| if is_there { row(with(&mut is_row, value.any())) } else { T::default() });
        let rows: Vec<T> = rows.collect();
        Ok(is_row.then_some(rows))
    });
    numbers.ok().flatten()
}

/// A value of a column of numbers, where integers are wanted.
pub(crate) enum Whole {
    Empty,
    Number(i64),
    /// More than the largest of them.
    Large(u64),
    /// No integer of 64 bits.
    Fraction(f64),
}

impl Whole {
    fn of(any: Any) -> Self {
        match (i64::of(any), u64::of(any), any) {
            (Some(number), ..) | (.., Any::Signed(number)) => Self::Number(number),
            (_, Some(number), _) | (.., Any::Unsigned(number)) => Self::Large(number),
            (.., Any::Float(number)) if number.is_nan() => Self::Empty,
            (.., Any::Float(number)) => Self::Fraction(number),
        }
    }

    /// The number that a text is.
    fn parse(text: &str) -> Option<Self> {
        if let Some(integer) = parse_integer(text) {
            return Some(Self::of(integer));
        }
        let float = Self::of(Any::Float(f64::parse(text)?));
        // A fraction is not the integer to which it would be rounded.
        (!matches!(float, Self::Number(_) | Self::Large(_))).then_some(float)
    }
}

/// Calls `with` for each value of a column of numbers.
pub(crate) fn whole(
    from: &Columns<'_>,
    name: &str,
    column: &dyn Array,
    mut with: impl FnMut(usize, Whole),
) -> Result<(), TableError> {
    const NEEDED: &str = "integers";
    if from.is_text(column) {
        for (n, text) in column.as_string::<i32>().iter().enumerate() {
            match text.map(|text| (text, Whole::parse(text))) {
                None => with(n, Whole::Empty),
                Some((_, Some(number))) => with(n, number),
                Some((text, None)) => from.bad(name, n, || format!("`{}` is no integer", shown(text))),
            }
        }
        return Ok(());
    }
    let Some(usual) = usual(column) else { return Err(from.wrong_type(name, column.data_type(), NEEDED)) };
    with_numbers!(from, name, &*usual, NEEDED, |array| {
        let has_nulls = array.null_count() > 0;
        for (n, &value) in array.values().iter().enumerate() {
            with(n, if has_nulls && array.is_null(n) { Whole::Empty } else { Whole::of(value.any()) });
        }
        Ok(())
    })
}

/// The values of a column of truth values, or of the numbers 0 and 1.
pub(crate) fn truths(from: &Columns<'_>, name: &str) -> Result<Vec<bool>, TableError> {
    const NEEDED: &str = "true and false, or 1 and 0";
    let column = from.column(name)?;
    from.refuse_nulls(name, column.logical_nulls().as_ref());
    if let Some(array) = column.as_boolean_opt() {
        return Ok(array.values().iter().collect());
    }
    if from.is_text(column) {
        let truths = column.as_string::<i32>().iter().enumerate().map(|(n, text)| {
            let Some(text) = text else { return false };
            let is = |words: [&str; 2]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
            if !is(["true", "1"]) && !is(["false", "0"]) {
                from.bad(name, n, || format!("`{}` is neither true nor false", shown(text)));
            }
            is(["true", "1"])
        });
        return Ok(truths.collect());
    }
    if !column.data_type().is_integer() && !column.data_type().is_null() {
        return Err(from.wrong_type(name, column.data_type(), NEEDED));
    }
    let mut truths = Vec::with_capacity(column.len());
    whole(from, name, column, |n, number| {
        if !matches!(number, Whole::Number(0 | 1) | Whole::Empty) {
            from.bad(name, n, || "neither 0 nor 1".to_owned());
        }
        truths.push(matches!(number, Whole::Number(1)));
    })?;
    Ok(truths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_converted_only_if_they_stay_the_same() {
        assert_eq!(u8::of(Any::Signed(255)), Some(255));
        assert_eq!(u8::of(Any::Signed(256)), None);
        assert_eq!(u8::of(Any::Signed(-1)), None);
        assert_eq!(i64::of(Any::Unsigned(u64::MAX)), None);
        assert_eq!(u64::of(Any::Float(18_446_744_073_709_551_616.0)), None);
        assert_eq!(i64::of(Any::Float(9_223_372_036_854_775_808.0)), None);
        assert_eq!(i64::of(Any::Float(-9_223_372_036_854_775_808.0)), Some(i64::MIN));
        assert_eq!(u8::of(Any::Float(255.0)), Some(255));
        assert_eq!(u32::of(Any::Float(4_294_967_295.0)), Some(u32::MAX));
        assert_eq!(u32::of(Any::Float(4_294_967_296.0)), None);
        assert_eq!(u8::of(Any::Float(1.5)), None);
        assert_eq!(u8::of(Any::Float(f64::NAN)), None);
        assert_eq!(f32::of(Any::Signed(16_777_217)), None);
        assert_eq!(f32::of(Any::Signed(16_777_216)), Some(16_777_216.0));
        assert_eq!(f64::of(Any::Unsigned(u64::MAX)), None);
        assert_eq!(f32::of(Any::Float(0.1)), Some(0.1));
        assert_eq!(f32::of(Any::Float(1e300)), None);
        assert_eq!(f32::of(Any::Float(f64::INFINITY)), Some(f32::INFINITY));
        assert!(f32::of(Any::Float(f64::NAN)).unwrap().is_nan());
    }

    #[test]
    fn texts_are_parsed() {
        assert_eq!(u8::parse("255"), Some(255));
        assert_eq!(u8::parse("7.0"), Some(7));
        assert_eq!(u64::parse("18446744073709551615"), Some(u64::MAX));
        assert_eq!(f32::parse("inf"), Some(f32::INFINITY));
        assert_eq!(f64::parse("-1e-3"), Some(-0.001));
        for text in ["256", "-1", "", " 1", "1 ", "0x1", "1.5", "1e9", "nan", "one"] {
            assert_eq!(u8::parse(text), None, "{text}");
        }
        assert_eq!(f32::parse("1e39"), None);
    }

    #[test]
    fn texts_of_integers_are_not_rounded() {
        for (text, number) in [
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("9.007199254740993000e+15", 9_007_199_254_740_993),
            ("-9223372036854775808.000", i64::MIN),
            ("-0.0", 0),
            ("7.", 7),
            ("+70e-1", 7),
            ("1.5E3", 1500),
        ] {
            assert_eq!(i64::parse(text), Some(number), "{text}");
            assert!(matches!(Whole::parse(text), Some(Whole::Number(other)) if other == number), "{text}");
        }
        assert_eq!(u64::parse("18446744073709551615.0"), Some(u64::MAX));
        assert!(matches!(Whole::parse("1e19"), Some(Whole::Large(10_000_000_000_000_000_000))));
        assert!(Whole::parse("10000000000000000000.5").is_none());
        assert_eq!(u8::parse("-0.0"), Some(0));
        for text in [
            "0.99999999999999999999",
            "1.00000000000000000001",
            "1e-1",
            "9223372036854775808.0",
            "1e19",
            "1e2147483647",
            "1e-2147483648",
            "1e99999999999",
            "7.-0",
            ".",
            ".e0",
            "e3",
            "-e3",
            "1e",
        ] {
            assert_eq!(i64::parse(text), None, "{text}");
            assert!(!matches!(Whole::parse(text), Some(Whole::Number(_) | Whole::Empty)), "{text}");
        }
    }
}

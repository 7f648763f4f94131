//! The places that run kernels.

use std::fmt;
use std::str::FromStr;

/// The place where kernels run: see [`World::on`](crate::world::World::on).
///
/// | written | place |
/// | --- | --- |
/// | `host` | the cores of this machine |
/// | `gpu`, `gpu:0` | the first NVIDIA GPU, as counted within `CUDA_VISIBLE_DEVICES` |
/// | `gpu:1` | the second one |
/// | `cluster` | the processes that share the world: see the crate `ikra-cluster` |
///
/// The type is the same with and without the feature `cuda`. Without it, every operation on a GPU returns
/// [`Error::NoSuchPlace`](crate::error::Error::NoSuchPlace), which names the feature.
///
/// ```
/// use ikra::Place;
///
/// let place: Place = "gpu:1".parse().unwrap();
/// assert_eq!(place, Place::Gpu(1));
/// assert_eq!("gpu".parse(), Ok(Place::Gpu(0)));
/// assert_eq!(Place::default().to_string(), "host");
/// assert_eq!(
///     "cpu".parse::<Place>().unwrap_err().to_string(),
///     "`cpu` is not a place to run: write `host`, `gpu`, `gpu:1` for the second GPU, or `cluster`"
/// );
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// The cores of this machine.
    #[default]
    Host,
    /// The NVIDIA GPU with this number, as counted within `CUDA_VISIBLE_DEVICES` if that is set.
    Gpu(usize),
    /// The processes that share the world, on one machine or several. Each runs kernels for some of the objects.
    Cluster,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Gpu(number) => write!(f, "gpu:{number}"),
            Self::Cluster => f.write_str("cluster"),
        }
    }
}

impl FromStr for Place {
    type Err = ParsePlaceError;

    fn from_str(text: &str) -> Result<Self, ParsePlaceError> {
        let gpu = || {
            let number = match text.strip_prefix("gpu")? {
                "" => "0",
                rest => rest.strip_prefix(':')?,
            };
            // `parse` would accept `+1` too.
            let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
            if is_plain { number.parse().ok().map(Self::Gpu) } else { None }
        };
        match text {
            "host" => return Ok(Self::Host),
            "cluster" => return Ok(Self::Cluster),
            _ => {}
        }
        gpu().ok_or_else(|| ParsePlaceError { text: text.to_owned() })
    }
}

/// A text that does not name a [`Place`].
///
/// ```
/// let error = "gpu1".parse::<ikra::Place>().unwrap_err();
/// assert!(error.to_string().starts_with("`gpu1` is not a place to run"));
///
/// fn place(text: &str) -> Result<ikra::Place, ikra::Error> {
///     Ok(text.parse()?)
/// }
/// assert!(matches!(place("gpu:x"), Err(ikra::Error::NotAPlace(_))));
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a place to run: write `host`, `gpu`, `gpu:1` for the second GPU, or `cluster`")]
pub struct ParsePlaceError {
    text: String,
}

/// Prints the message, with what to do, because `main` and `unwrap` show this form.
impl fmt::Debug for ParsePlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn places_are_parsed_as_they_print_themselves() {
        for place in [Place::Host, Place::Cluster, Place::Gpu(0), Place::Gpu(1), Place::Gpu(12), Place::Gpu(usize::MAX)]
        {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        assert_eq!(
            ["host", "gpu", "gpu:0", "gpu:07"].map(|text| text.parse().ok()),
            [Some(Place::Host), Some(Place::Gpu(0)), Some(Place::Gpu(0)), Some(Place::Gpu(7)),]
        );
    }

    #[test]
    fn other_texts_are_no_places() {
        for text in [
            "",
            "Host",
            "host:0",
            "gpu:",
            "gpu:-1",
            "gpu:+1",
            "gpu1",
            "gpu:x",
            "gpu: 1",
            " gpu",
            "cuda",
            "gpu:99999999999999999999",
        ] {
            let error = text.parse::<Place>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{text}` is not a place")), "{error}");
        }
    }
}

//! The meaning of OpenStreetMap's tags, including lists of them that OSMnx made.

use crate::Class;

/// The directions in which a street is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Direction {
    #[default]
    Both,
    Forward,
    Backward,
}

/// The values of a tag: of `50`, `50;30`, `30|50`, or `['50', '30']`.
pub(crate) fn values(text: &str) -> impl Iterator<Item = &str> {
    let inner = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let separators: &[char] = if inner.is_some() { &[','] } else { &[';', '|'] };
    let trimmed = |value: &'_ str| -> bool { !value.is_empty() };
    inner
        .unwrap_or(text)
        .split(separators)
        .map(|value| value.trim().trim_matches(['\'', '"']).trim())
        .filter(move |value| trimmed(value))
}

/// The first known class of the list, since OSMnx starts the list with the way at the street's beginning.
pub(crate) fn class(text: &str) -> Option<Class> {
    values(text).find_map(Class::parse)
}

/// The speed limit in metres per second: the lowest of several.
pub(crate) fn speed(text: &str) -> Option<f32> {
    values(text).filter_map(one_speed).min_by(f32::total_cmp)
}

fn one_speed(text: &str) -> Option<f32> {
    let kilometres_per_hour = match text {
        "none" => 130.0,
        "walk" | "foot" => 7.0,
        _ if text.starts_with(|c: char| c.is_ascii_digit()) => {
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
            let (number, unit) = text.split_at(end);
            let number: f32 = number.parse().ok()?;
            match unit.trim() {
                "" | "km/h" | "kmh" | "kph" => number,
                "mph" => number * 1.609_344,
                "knots" => number * 1.852,
                "m/s" => number * 3.6,
                _ => return None,
            }
        }
        // A country's rule: `DE:urban`, `DE:zone30`, `GB:nsl_single`.
        _ => match text.split_once(':')?.1 {
            "living_street" | "walk" => 7.0,
            "bicycle_road" => 30.0,
            "urban" | "nsl_restricted" => 50.0,
            "rural" | "nsl_single" => 90.0,
            "trunk" | "nsl_dual" => 110.0,
            "motorway" => 130.0,
            zone => zone.strip_prefix("zone")?.trim_start_matches(':').parse().ok()?,
        },
    };
    (kilometres_per_hour > 0.0 && kilometres_per_hour <= 500.0).then_some(kilometres_per_hour / 3.6)
}

/// The number of lanes: the lowest of several.
pub(crate) fn lanes(text: &str) -> Option<u8> {
    let lanes = values(text).filter_map(|value| value.parse::<f32>().ok());
    let lanes = lanes.filter(|lanes| (1.0..=32.0).contains(lanes)).min_by(f32::total_cmp)?;
    Some(lanes as u8)
}

/// Lanes in one of two directions, given the number for both.
pub(crate) fn half(lanes: u8) -> u8 {
    lanes.div_ceil(2)
}

/// The directions. OSMnx writes `True` and `False`; OpenStreetMap writes `yes`, `no`, `-1` and others.
pub(crate) fn direction(text: &str) -> Option<Direction> {
    match values(text).next()? {
        "yes" | "True" | "true" | "1" => Some(Direction::Forward),
        "-1" | "reverse" => Some(Direction::Backward),
        "no" | "False" | "false" | "0" => Some(Direction::Both),
        // Changes by the hour: treated as open in both directions.
        "reversible" | "alternating" => Some(Direction::Both),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds() {
        let kilometres = |text: &str| speed(text).map(|speed| (speed * 3.6 * 10.0).round() / 10.0);
        for (text, expected) in [
            ("50", Some(50.0)),
            ("25 mph", Some(40.2)),
            ("25mph", Some(40.2)),
            ("30 km/h", Some(30.0)),
            ("10 knots", Some(18.5)),
            ("['30 mph', '25 mph']", Some(40.2)),
            ("['45 mph', 'signals']", Some(72.4)),
            ("70;50", Some(50.0)),
            ("80|100|none", Some(80.0)),
            ("none", Some(130.0)),
            ("walk", Some(7.0)),
            ("DE:urban", Some(50.0)),
            ("AT:zone:30", Some(30.0)),
            ("DE:zone20", Some(20.0)),
            ("signals", None),
            ("0", None),
            ("-5", None),
            ("1e9", None),
            ("99999999", None),
            ("fast", None),
            ("50 furlongs", None),
            ("", None),
            ("[]", None),
            ("['", None),
        ] {
            assert_eq!(kilometres(text), expected, "{text}");
        }
    }

    #[test]
    fn lanes_and_directions() {
        for (text, expected) in
            [("2", Some(2)), ("['7', '6']", Some(6)), ("2;3", Some(2)), ("1.5", Some(1)), ("0", None), ("many", None)]
        {
            assert_eq!(lanes(text), expected, "{text}");
        }
        assert_eq!([1, 2, 3, 4].map(half), [1, 1, 2, 2]);
        for (text, expected) in [
            ("True", Some(Direction::Forward)),
            ("[False, True]", Some(Direction::Both)),
            ("-1", Some(Direction::Backward)),
            ("perhaps", None),
        ] {
            assert_eq!(direction(text), expected, "{text}");
        }
    }

    #[test]
    fn classes() {
        assert_eq!(class("['steps', 'footway']"), Some(Class::Steps));
        assert_eq!(class("['ford', 'service']"), Some(Class::Service));
        assert_eq!(class("moon"), None);
    }
}

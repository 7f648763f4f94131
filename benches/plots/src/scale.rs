//! From values to heights, and the values beside the axis.

/// The value axis.
#[derive(Debug)]
pub(crate) struct Scale {
    /// Where the axis begins and ends.
    bottom: f64,
    top: f64,
    logarithmic: bool,
    /// The values to mark, ascending.
    pub(crate) ticks: Vec<f64>,
}

impl Scale {
    /// An axis from 0 to a little more than the largest value.
    pub(crate) fn linear(values: impl Iterator<Item = f64>) -> Self {
        let most = values.fold(0.0, f64::max);
        let step = round_up(most / 7.0);
        let count = (most * 1.02 / step).ceil().max(1.0);
        let ticks: Vec<f64> = (0..=count as u32).map(|n| f64::from(n) * step).collect();
        Self { bottom: 0.0, top: count * step, logarithmic: false, ticks }
    }

    /// An axis from a power of ten below the least value.
    pub(crate) fn logarithmic(values: impl Iterator<Item = f64> + Clone) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let first = (least * 0.9).log10().floor() as i32;
        let top = round_up(values.fold(0.0, f64::max) * 1.02);
        let last = top.log10().ceil() as i32;
        let digits: &[f64] = if last - first <= 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let ticks = (first..=last).flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
        let ticks = ticks.filter(|tick| *tick <= top * 1.000_001).collect();
        Self { bottom: 10_f64.powi(first), top, logarithmic: true, ticks }
    }

    /// How high a value is: 0 at the foot of the axis, 1 at its end.
    pub(crate) fn height(&self, value: f64) -> f64 {
        if self.logarithmic {
            (value / self.bottom).ln() / (self.top / self.bottom).ln()
        } else {
            (value - self.bottom) / (self.top - self.bottom)
        }
    }

    /// What a mark says.
    pub(crate) fn label(&self, tick: f64) -> String {
        let step = if self.logarithmic { tick } else { self.ticks[1] - self.ticks[0] };
        let decimals = (-(step * 1.000_001).log10().floor()).max(0.0) as usize;
        let text = format!("{tick:.decimals$}");
        let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
        let mut label = String::new();
        for (n, digit) in whole.chars().enumerate() {
            if n > 0 && (whole.len() - n) % 3 == 0 {
                label.push(',');
            }
            label.push(digit);
        }
        label + rest
    }
}

/// The next number of the kind 1, 2, 5, 10, 20 …
fn round_up(number: f64) -> f64 {
    let power = 10_f64.powf(number.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= number * 0.999_999).unwrap_or(10.0);
    digit * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks.iter().map(|tick| scale.label(*tick)).collect()
    }

    #[test]
    fn linear_axes() {
        let scale = Scale::linear([3.0, 4210.0].into_iter());
        assert_eq!(labels(&scale), ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]);
        assert_eq!((scale.height(0.0), scale.height(2500.0), scale.height(5000.0)), (0.0, 0.5, 1.0));
        assert_eq!(
            labels(&Scale::linear([0.31].into_iter())),
            ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30", "0.35"]
        );
    }

    #[test]
    fn logarithmic_axes() {
        let scale = Scale::logarithmic([12.0, 430.0].into_iter());
        assert_eq!(labels(&scale), ["10", "20", "50", "100", "200", "500"]);
        assert!((scale.height(10.0), scale.height(500.0)) == (0.0, 1.0) && scale.height(12.0) > 0.0);
        let scale = Scale::logarithmic([0.02, 1e5].into_iter());
        assert_eq!(labels(&scale), ["0.01", "0.1", "1", "10", "100", "1,000", "10,000", "100,000"]);
    }

    #[test]
    fn all_values_fit() {
        for power in -6..=12 {
            for digits in [1.0, 1.5, 2.0, 4.99, 5.0, 9.99] {
                let value: f64 = digits * 10_f64.powi(power);
                for scale in [Scale::linear([value].into_iter()), Scale::logarithmic([value].into_iter())] {
                    let height = scale.height(value);
                    assert!(height > 0.0 && height < 1.0, "{value}: {height} in {scale:?}");
                    assert!((2..12).contains(&scale.ticks.len()), "{value}: {scale:?}");
                    assert!(scale.ticks.iter().all(|tick| scale.height(*tick) < 1.000_1), "{value}: {scale:?}");
                }
            }
        }
    }
}

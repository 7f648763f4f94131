//! Display of advice as a table.

use std::fmt;

use super::{InliningAdvice, InliningChoice};

impl fmt::Display for InliningAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} arrays of up to {} elements, {} bytes each, {} elements in all",
            self.objects(),
            self.longest(),
            self.stride,
            self.elements()
        )?;
        let proposed = self.proposed();
        let header =
            ["inlined", "", "elements", "objects", "inlined bytes", "empty", "arena bytes", "offset, length", "bytes"];
        let rows = self.choices().into_iter().map(|choice| cells(&choice, proposed));
        let rows: Vec<[String; 9]> = std::iter::once(header.map(str::to_owned)).chain(rows).collect();
        let widths: [usize; 9] =
            std::array::from_fn(|n| rows.iter().map(|row| row[n].chars().count()).max().unwrap_or(0));
        for row in &rows {
            writeln!(f)?;
            for (cell, width) in row.iter().zip(widths) {
                write!(f, "  {cell:>width$}")?;
            }
        }
        Ok(())
    }
}

fn cells(choice: &InliningChoice, proposed: usize) -> [String; 9] {
    [
        choice.inlined.to_string(),
        if choice.inlined == proposed { "proposed".to_owned() } else { String::new() },
        percent(choice.share_of_elements),
        percent(choice.share_of_objects),
        choice.inlined_bytes.to_string(),
        choice.wasted_bytes.to_string(),
        choice.arena_bytes.to_string(),
        choice.bookkeeping_bytes.to_string(),
        choice.total_bytes.to_string(),
    ]
}

/// Rounded down, so that 100.0 % means all. The addition keeps a product such as 0.8 × 1000 from falling short.
fn percent(share: f64) -> String {
    format!("{:.1} %", (share * 1000.0 + 1e-9).floor() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_aligned() {
        let advice = InliningAdvice::from_histogram(&[(1, 190), (2, 90), (3, 540), (4, 170), (6, 10)]);
        let expected = "\
1000 arrays of up to 6 elements, 4 bytes each, 2730 elements in all
  inlined            elements  objects  inlined bytes  empty  arena bytes  offset, length  bytes
        0               0.0 %    0.0 %              0      0        10920            8000  18920
        1              36.6 %   19.0 %           4000      0         6920            8000  18920
        2              66.3 %   28.0 %           8000    760         3680            8000  19680
        3  proposed    92.6 %   82.0 %          12000   1880          800            8000  20800
        4              99.2 %   99.0 %          16000   5160           80            8000  24080
        6             100.0 %  100.0 %          24000  13080            0            4000  28000";
        assert_eq!(advice.to_string(), expected);
    }

    #[test]
    fn shares_are_rounded_down() {
        assert_eq!(percent(1.0), "100.0 %");
        assert_eq!(percent(0.99999), "99.9 %");
        assert_eq!(percent(0.8), "80.0 %");
        assert_eq!(percent(0.0), "0.0 %");
    }
}

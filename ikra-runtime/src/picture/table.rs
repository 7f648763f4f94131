//! Layouts as tables.

use std::fmt;

use super::{ClassLayout, ColumnLayout, WorldLayout};
use crate::layout::LayoutKind;

impl fmt::Display for WorldLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "world {}, {} bytes", self.world, self.bytes())?;
        for class in &self.classes {
            write!(f, "\n\n{class}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ClassLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "class {}: layout {}", self.class, self.kind.name())?;
        if let LayoutKind::Tiles(tile) = self.kind {
            write!(f, " of {tile}, {} bytes each", self.block)?;
        }
        if let Some(capacity) = self.fixed_capacity {
            write!(f, ", capacity {capacity}")?;
        }
        writeln!(
            f,
            ", addressing {}, {} objects, {} bytes, {} of them padding",
            self.addressing.name(),
            self.objects,
            self.bytes(),
            self.padding()
        )?;
        if self.arena_capacity > 0 {
            writeln!(
                f,
                "  arena: {} bytes of {} taken; {} bytes inlined",
                self.arena_bytes,
                self.arena_capacity,
                self.inlined_bytes()
            )?;
        }
        let header = ["column", "type", "offset", "stride", "bytes", "all objects"].map(str::to_owned);
        let rows = self.columns.iter().map(|column| cells(column, self.objects));
        let rows: Vec<[String; 6]> = std::iter::once(header).chain(rows).collect();
        let widths: [usize; 6] =
            std::array::from_fn(|n| rows.iter().map(|row| row[n].chars().count()).max().unwrap_or(0));
        for (n, row) in rows.iter().enumerate() {
            let separator = if n == 0 { "" } else { "\n" };
            write!(f, "{separator}  {:w0$}  {:w1$}", row[0], row[1], w0 = widths[0], w1 = widths[1])?;
            for (cell, width) in row.iter().zip(widths).skip(2) {
                write!(f, "  {cell:>width$}")?;
            }
        }
        Ok(())
    }
}

fn cells(column: &ColumnLayout, objects: usize) -> [String; 6] {
    let atomic = if column.atomic { " (atomic)" } else { "" };
    [
        format!("{}{atomic}", column.name),
        column.type_name.to_owned(),
        column.offset.map_or_else(|| "own".to_owned(), |offset| offset.to_string()),
        column.stride.to_string(),
        column.size.to_string(),
        (column.size * objects).to_string(),
    ]
}

//! Display of layouts as tables.

use std::fmt;

use super::{ClassLayout, ColumnLayout, WorldLayout};
use ikra_core::info::LayoutKind;

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
        // The slots of an inner array form one row.
        let slots = self.columns.chunk_by(|a, b| field(a).is_some() && field(a) == field(b));
        let rows = slots.map(|slots| cells(slots, self.objects));
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

/// The field of which this column is a slot.
fn field(column: &ColumnLayout) -> Option<&str> {
    Some(column.name.strip_suffix(']')?.split_once('[')?.0)
}

/// A row, for one column, or for several that differ only in their positions.
fn cells(columns: &[ColumnLayout], objects: usize) -> [String; 6] {
    let column = &columns[0];
    let atomic = if column.atomic { " (atomic)" } else { "" };
    let (name, times) = match (field(column), columns.len()) {
        (Some(field), count @ 2..) => (format!("{field}[0..{count}]"), format!("{count} × ")),
        _ => (column.name.clone(), String::new()),
    };
    [
        format!("{name}{atomic}"),
        column.type_name.to_owned(),
        column.offset.map_or_else(|| "own".to_owned(), |offset| offset.to_string()),
        column.stride.to_string(),
        format!("{times}{}", column.size),
        columns.iter().map(|column| column.size * objects).sum::<usize>().to_string(),
    ]
}

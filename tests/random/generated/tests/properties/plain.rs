//! The classes' kernels, applied to plain structs in a `Vec`.

use std::ops::Range;

use crate::values::Plain;

/// `Thing::step` of one object.
pub fn step(row: &mut Plain, by: u32) {
    row.count = row.count.wrapping_add(by);
    if row.byte == 200 {
        return;
    }
    row.byte = row.byte.wrapping_add(by as u8);
    row.flag = row.flag != (row.byte % 2 == 1);
    row.short = row.short.rotate_left(3) ^ by as u16;
    row.real = half(row.real);
    let double = f64::from_bits(row.double);
    if double.is_finite() {
        row.double = (double * 0.5 - f64::from(by)).to_bits();
    }
    row.vector.rotate_left(1);
    row.vector[2] = half(row.vector[2]);
    row.long = row.long.wrapping_mul(5).wrapping_add(row.short.into());
    row.huge = row.huge.rotate_left(17) ^ u128::from(row.long);
    row.whole.0 ^= row.byte;
    row.whole.2[1] = row.short;
    std::mem::swap(&mut row.parts.0, &mut row.real);
    row.parts.1 = row.parts.1.wrapping_sub(1);
    row.colour = row.colour.next();
    row.wide = row.wide.wrapping_add(by);
}

fn half(bits: u32) -> u32 {
    let real = f32::from_bits(bits);
    if real.is_finite() { (real * 0.5 + 1.0).to_bits() } else { bits }
}

/// `Thing::peek` of all objects: reads fields through links, and writes other fields.
pub fn peek(rows: &mut [Plain]) {
    for index in 0..rows.len() {
        let Some(next) = rows[index].next else { continue };
        let other = rows[next as usize - 1];
        let seen = u64::from(other.real) ^ u64::from(other.parts.1) ^ (other.huge >> 64) as u64 ^ other.whole.1;
        rows[index].long = rows[index].long.rotate_left(9) ^ seen ^ u64::from(other.short);
    }
}

/// `Thing::jump` of some objects: reads the previous values of written fields through links.
pub fn jump(rows: &mut [Plain], indices: impl IntoIterator<Item = usize>) {
    let before = rows.to_vec();
    for index in indices {
        let row = &mut rows[index];
        row.short = row.short.wrapping_add(1);
        let Some(next) = before[index].next else { continue };
        let other = before[next as usize - 1];
        row.real = other.real;
        row.parts = other.parts;
        row.colour = other.colour.next();
        row.wide = other.wide;
        row.next = other.next;
    }
}

/// `Thing::knock` of all objects: changes others.
pub fn knock(rows: &mut [Plain]) {
    for index in 0..rows.len() {
        let Some(next) = rows[index].next else { continue };
        let (byte, id) = (rows[index].byte, index as u32 + 1);
        let other = &mut rows[next as usize - 1];
        other.count = other.count.wrapping_add(byte.into());
        other.holder = Some(other.holder.map_or(id, |holder| holder.min(id)));
    }
}

/// `Thing::meet` of all pairs: the order matters.
pub fn meet(rows: &mut [Plain], key: u64) {
    for index in 0..rows.len() {
        for other in 0..rows.len() {
            let other = rows[other];
            let row = &mut rows[index];
            row.long = row.long.rotate_left(5) ^ key ^ u64::from(other.short) ^ u64::from(other.real);
            if other.flag {
                row.vector[other.byte as usize % 3] ^= other.wide;
            }
        }
    }
}

/// `Thing::weigh` of all objects.
pub fn weigh(rows: &[Plain]) -> [u64; 2] {
    rows.iter().fold([0; 2], |[sum, folded], row| {
        [sum.wrapping_add(row.long), folded.wrapping_add((row.huge >> 3) as u64 ^ u64::from(row.byte))]
    })
}

/// `Thing::drain` of all objects: also changes them.
pub fn drain(rows: &mut [Plain]) -> [u64; 2] {
    rows.iter_mut().fold([0; 2], |[sum, count], row| {
        let long = std::mem::replace(&mut row.long, u64::from(row.wide));
        [sum.wrapping_add(long), count.wrapping_add(u64::from(row.flag))]
    })
}

/// A range within `len`, from two numbers.
pub fn range_of(a: usize, b: usize, len: usize) -> Range<usize> {
    let (a, b) = (a % (len + 1), b % (len + 1));
    a.min(b)..a.max(b)
}

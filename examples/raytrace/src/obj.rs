//! Scenes from Wavefront OBJ files with MTL materials.
//!
//! Faces with more corners become triangles. Textures, normals and curves are ignored. A material is
//!
//! | with | a |
//! | --- | --- |
//! | `Ke`, not black | lamp of this colour |
//! | `illum 4`, `6`, `7` or `9`, or `d` less than 1 | glass of colour `Tf`, or `Kd`; light is `Ni` times faster outside |
//! | `illum 3`, `5` or `8` | metal of colour `Ks`, polished if `Ns` is 1000, rough if it is 0 |
//! | anything else | diffuse surface of colour `Kd` |
//!
//! Features that OBJ lacks are in comments that begin with `#:`, so that other programs can read the file too:
//!
//! | comment | meaning |
//! | --- | --- |
//! | `#: sphere X Y Z RADIUS` | a sphere of the current material |
//! | `#: plane X Y Z NX NY NZ` | a plane of the current material, by a point and its normal |
//! | `#: checks NAME R G B SIDE` | the diffuse material has squares of this second colour |
//! | `#: camera X Y Z TX TY TZ ANGLE [LENS]` | the eye, the point that it looks at, the angle of view in degrees, the radius of the lens |
//! | `#: sky R G B R G B` | the sky's colours at the horizon and at the zenith |
//! | `#: sun DX DY DZ R G B K` | the direction to the sun, its colour, and how small it is: brightness falls as the 2ᵏth power of the cosine |

use std::collections::HashMap;
use std::io;
use std::path::Path;

use example_program::read_text;

use crate::model::{Sky, Vector};
use crate::scene::{Camera, DAY, Form, Material, Scene, Shape};

/// The errors of a scene file.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {reason}")]
    Unreadable {
        /// Its path.
        file: String,
        /// The system's message.
        reason: String,
    },
    /// A line contains an error.
    #[error("{file}:{line}: {what}")]
    Malformed {
        /// Its path.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The error.
        what: String,
    },
    /// The scene as a whole contains an error.
    #[error("{file}: {what}")]
    Whole {
        /// Its path.
        file: String,
        /// The error.
        what: String,
    },
}

/// The largest coordinate: products of a few coordinates stay far below the largest number.
const FARTHEST: f32 = 1e6;
/// The material of shapes without one.
const GREY: Material = Material::Diffuse { colour: Vector::all(0.7) };

/// Reads a scene.
///
/// # Errors
///
/// [`InputError`], with the line that contains the error.
pub fn read(path: &Path) -> Result<Scene, InputError> {
    let text = text(path)?;
    parse(&text, &path.display().to_string(), |library| {
        let path = path.parent().unwrap_or(Path::new("")).join(library);
        let text = self::text(&path)?;
        materials(&text, &path.display().to_string())
    })
}

fn text(path: &Path) -> Result<String, InputError> {
    let text = read_text(path).and_then(|text| String::from_utf8(text).map_err(io::Error::other));
    text.map_err(|error| InputError::Unreadable { file: path.display().to_string(), reason: error.to_string() })
}

/// Materials by name.
type Materials = Vec<(String, Material)>;

/// The numbers of a line, as many as its form requires.
fn numbers<const N: usize>(words: &[&str], form: &str) -> Result<[f32; N], String> {
    if words.len() != N {
        return Err(format!("{} values instead of {N}: a line is {form}", words.len()));
    }
    let mut values = [0.0; N];
    for (value, word) in values.iter_mut().zip(words) {
        *value = number(word, form)?;
    }
    Ok(values)
}

fn number(word: &str, form: &str) -> Result<f32, String> {
    match word.parse::<f32>() {
        Ok(value) if value.abs() <= FARTHEST => Ok(value),
        Ok(_) => Err(format!("{word} is not between -{FARTHEST} and {FARTHEST}: a line is {form}")),
        Err(_) => Err(format!("{word:?} is not a number: a line is {form}")),
    }
}

/// A colour whose components are between 0 and `most`.
fn colour(values: [f32; 3], most: f32) -> Result<Vector, String> {
    for value in values {
        if !(0.0..=most).contains(&value) {
            let range = if most.is_finite() { format!("from 0 to {most}") } else { "not negative".into() };
            return Err(format!("a colour has {value}: red, green and blue are {range}"));
        }
    }
    Ok(vector(values))
}

fn vector([x, y, z]: [f32; 3]) -> Vector {
    Vector::new(x, y, z)
}

fn direction(values: [f32; 3]) -> Result<Vector, String> {
    let direction = vector(values);
    if direction.length() < 1e-6 { Err("a direction of length 0".into()) } else { Ok(direction.unit()) }
}

/// The contents of a scene's lines, except faces.
struct Lines {
    /// The materials by name; the first is for shapes without one.
    materials: Vec<Material>,
    by_name: HashMap<String, usize>,
    /// The current material.
    material: usize,
    vertices: usize,
    shapes: Vec<Shape>,
    camera: Option<Camera>,
    sky: Sky,
    /// The remaining text: lines that have been checked.
    rest: String,
}

/// Reads the text of a scene; `library` reads a file of materials.
fn parse(
    text: &str,
    file: &str,
    mut library: impl FnMut(&str) -> Result<Materials, InputError>,
) -> Result<Scene, InputError> {
    let mut lines = Lines {
        materials: vec![GREY],
        by_name: HashMap::new(),
        material: 0,
        vertices: 0,
        shapes: Vec::new(),
        camera: None,
        sky: DAY,
        rest: String::new(),
    };
    for (n, line) in text.lines().enumerate() {
        if let Some(name) = line.trim().strip_prefix("mtllib ") {
            for (name, material) in library(name.trim())? {
                lines.by_name.insert(name, lines.materials.len());
                lines.materials.push(material);
            }
        } else {
            let at = |what| InputError::Malformed { file: file.to_owned(), line: n + 1, what };
            lines.add(line.trim()).map_err(at)?;
        }
    }
    lines.add_faces().map_err(|error| InputError::Whole { file: file.to_owned(), what: error.to_string() })?;
    if lines.shapes.is_empty() {
        let what = "no shapes; a line is f 1 2 3, #: sphere X Y Z RADIUS, or #: plane X Y Z NX NY NZ".to_owned();
        return Err(InputError::Whole { file: file.to_owned(), what });
    }
    Ok(Scene { materials: lines.materials, shapes: lines.shapes, camera: lines.camera, sky: lines.sky })
}

impl Lines {
    /// Adds the contents of a line.
    fn add(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["v", ref words @ ..] => {
                let form = "v X Y Z";
                let numbers = words.iter().map(|word| number(word, form)).collect::<Result<Vec<_>, _>>()?;
                let [x, y, z] = match numbers[..] {
                    // A fourth number is a weight; six numbers are a point and its colour.
                    [x, y, z] | [x, y, z, _, _, _] => [x, y, z],
                    [x, y, z, weight] if weight.abs() > 1e-3 => [x / weight, y / weight, z / weight],
                    _ => return Err(format!("{} values instead of 3: a line is {form}", numbers.len())),
                };
                self.vertices += 1;
                self.rest += &format!("v {x:e} {y:e} {z:e}\n");
            }
            ["f", ref words @ ..] => {
                if words.len() < 3 {
                    return Err(format!("a face with {} corners: a line is f 1 2 3", words.len()));
                }
                let corners = words.iter().map(|word| self.corner(word)).collect::<Result<Vec<_>, _>>()?;
                self.rest += &format!("f {}\n", corners.join(" "));
            }
            ["usemtl", ..] => {
                let name = line["usemtl".len()..].trim();
                self.material = self.named(name)?;
                self.rest += &format!("usemtl {}\n", self.material);
            }
            ["#:", ref words @ ..] => self.extend(words)?,
            _ => {}
        }
        Ok(())
    }

    /// A corner of a face: the number of its vertex, counted from 1.
    fn corner(&self, word: &str) -> Result<String, String> {
        let vertex = word.split('/').next().unwrap_or_default();
        let number: i64 = vertex.parse().map_err(|_| format!("{word:?} is not a corner: a line is f 1 2 3"))?;
        let number = if number < 0 { number + self.vertices as i64 + 1 } else { number };
        if number < 1 || number > self.vertices as i64 {
            return Err(format!("there is no vertex {vertex}: {} are defined so far", self.vertices));
        }
        Ok(number.to_string())
    }

    fn named(&self, name: &str) -> Result<usize, String> {
        self.by_name.get(name).copied().ok_or_else(|| format!("there is no material {name:?}; mtllib names their file"))
    }

    /// Adds the contents of a comment for this program.
    fn extend(&mut self, words: &[&str]) -> Result<(), String> {
        match *words {
            ["sphere", ref words @ ..] => {
                let [x, y, z, radius] = numbers(words, "#: sphere X Y Z RADIUS")?;
                if radius < 1e-6 {
                    return Err(format!("the radius is {radius}; it must be greater than 0"));
                }
                self.push(Form::Sphere { centre: Vector::new(x, y, z), radius });
            }
            ["plane", ref words @ ..] => {
                let [x, y, z, up @ ..] = numbers::<6>(words, "#: plane X Y Z NX NY NZ")?;
                self.push(Form::Plane { point: Vector::new(x, y, z), up: direction(up)? });
            }
            ["checks", name, ref words @ ..] => {
                let [odd @ .., side] = numbers::<4>(words, "#: checks NAME R G B SIDE")?;
                let odd = colour(odd, 1.0)?;
                if side < 1e-6 {
                    return Err(format!("the side is {side}; it must be greater than 0"));
                }
                let material = self.named(name)?;
                let (Material::Diffuse { colour: even } | Material::Checks { even, .. }) = self.materials[material]
                else {
                    return Err(format!("{name} is not a diffuse material"));
                };
                self.materials[material] = Material::Checks { even, odd, side };
            }
            ["camera", ref words @ ..] => {
                let form = "#: camera X Y Z TX TY TZ ANGLE [LENS]";
                let with_lens = if words.len() == 7 { [words, &["0"]].concat() } else { words.to_vec() };
                let [x, y, z, tx, ty, tz, angle, lens] = numbers(&with_lens, form)?;
                let (eye, target) = (Vector::new(x, y, z), Vector::new(tx, ty, tz));
                direction([tx - x, ty - y, tz - z]).map_err(|_| "the camera looks at where it is".to_owned())?;
                if !(0.1..=170.0).contains(&angle) {
                    return Err(format!("the angle of view is {angle}°; it must be from 0.1° to 170°"));
                }
                if lens < 0.0 {
                    return Err(format!("the radius of the lens is {lens}; it must not be negative"));
                }
                self.camera = Some(Camera { eye, target, angle, lens });
            }
            ["sky", ref words @ ..] => {
                let [r, g, b, zenith @ ..] = numbers::<6>(words, "#: sky R G B R G B")?;
                self.sky.horizon = colour([r, g, b], f32::INFINITY)?;
                self.sky.zenith = colour(zenith, f32::INFINITY)?;
            }
            ["sun", ref words @ ..] => {
                let [x, y, z, sun @ .., sharpness] = numbers::<7>(words, "#: sun DX DY DZ R G B K")?;
                self.sky.to_sun = direction([x, y, z])?;
                self.sky.sun = colour(sun, f32::INFINITY)?;
                if !(0.0..=16.0).contains(&sharpness) || sharpness.fract() != 0.0 {
                    return Err(format!("the sun's sharpness is {sharpness}; it must be a whole number from 0 to 16"));
                }
                self.sky.sharpness = sharpness as u32;
            }
            _ => {
                let word = words.first().copied().unwrap_or_default();
                return Err(format!("{word:?} after #: is none of sphere, plane, checks, camera, sky, sun"));
            }
        }
        Ok(())
    }

    fn push(&mut self, form: Form) {
        self.shapes.push(Shape { form, material: self.material });
    }

    /// Adds the triangles of all faces, except faces without area.
    fn add_faces(&mut self) -> Result<(), tobj::LoadError> {
        // Here materials are named by their numbers.
        let numbered = |name: String| tobj::Material { name, ..Default::default() };
        let all: Vec<_> = (0..self.materials.len()).map(|n| numbered(n.to_string())).collect();
        let by_name: Vec<_> = (0..all.len()).map(|n| (n.to_string(), n)).collect();
        let load = |_: &Path| -> tobj::MTLLoadResult { Ok((all.clone(), by_name.iter().cloned().collect())) };
        let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
        let rest = format!("mtllib all\n{}", std::mem::take(&mut self.rest));
        let (models, _) = tobj::load_obj_buf(&mut rest.as_bytes(), &options, load)?;
        for mesh in models.into_iter().map(|model| model.mesh) {
            let corner = |&index: &u32| {
                let at = 3 * index as usize;
                Vector::new(mesh.positions[at], mesh.positions[at + 1], mesh.positions[at + 2])
            };
            for triangle in mesh.indices.chunks_exact(3) {
                let corners = [0, 1, 2].map(|n| corner(&triangle[n]));
                let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
                if area > 1e-15 {
                    let material = mesh.material_id.unwrap_or(0);
                    self.shapes.push(Shape { form: Form::Triangle { corners }, material });
                }
            }
        }
        Ok(())
    }
}

/// Reads materials.
fn materials(text: &str, file: &str) -> Result<Materials, InputError> {
    let mut rest = String::new();
    let mut has_name = false;
    for (n, line) in text.lines().map(str::trim).enumerate() {
        let mut check = || -> Result<bool, String> {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [key, ref values @ ..] = words[..] else { return Ok(false) };
            let unit = 0.0..=1.0;
            match key {
                "newmtl" if values.is_empty() => return Err("a material without a name: a line is newmtl NAME".into()),
                "newmtl" => has_name = true,
                "Kd" | "Ks" | "Tf" => drop(colour(numbers(values, &format!("{key} R G B"))?, 1.0)?),
                "Ke" => drop(colour(numbers(values, "Ke R G B")?, f32::INFINITY)?),
                "Ns" | "Ni" | "d" | "illum" => {
                    let form = format!("{key} NUMBER");
                    let [value] = numbers(values, &form)?;
                    let range = match key {
                        "Ns" => 0.0..=1000.0,
                        "Ni" => 0.001..=10.0,
                        "d" => unit,
                        _ => 0.0..=10.0,
                    };
                    if !range.contains(&value) || key == "illum" && value.fract() != 0.0 {
                        return Err(format!("{key} is {value}; it must be from {} to {}", range.start(), range.end()));
                    }
                }
                _ => return Ok(false),
            }
            if has_name { Ok(true) } else { Err(format!("{key} before the first newmtl")) }
        };
        match check() {
            Ok(true) => rest += &format!("{line}\n"),
            Ok(false) => {}
            Err(what) => return Err(InputError::Malformed { file: file.to_owned(), line: n + 1, what }),
        }
    }
    match tobj::load_mtl_buf(&mut rest.as_bytes()) {
        Ok((materials, _)) => Ok(materials.iter().map(|read| (read.name.clone(), material(read))).collect()),
        Err(error) => Err(InputError::Whole { file: file.to_owned(), what: error.to_string() }),
    }
}

/// Converts a material to this program's form.
fn material(read: &tobj::Material) -> Material {
    // Tobj keeps unknown entries as text, which has been checked.
    let other = |key: &str| {
        let values = numbers(&read.unknown_param.get(key)?.split_whitespace().collect::<Vec<_>>(), key).ok()?;
        Some(vector(values))
    };
    let diffuse = read.diffuse.map(vector);
    if let Some(colour) = read.emissive.map(vector).filter(|&colour| colour != Vector::ZERO) {
        return Material::Lamp { colour };
    }
    match read.illumination_model {
        _ if read.dissolve.is_some_and(|dissolve| dissolve < 1.0) => glass(read, other("Tf").or(diffuse)),
        Some(4 | 6 | 7 | 9) => glass(read, other("Tf").or(diffuse)),
        Some(3 | 5 | 8) => {
            let colour = read.specular.map(vector).or(diffuse).unwrap_or(Vector::all(0.9));
            Material::Mirror { colour, roughness: 1.0 - (read.shininess.unwrap_or(1000.0) / 1000.0).sqrt() }
        }
        _ => diffuse.map_or(GREY, |colour| Material::Diffuse { colour }),
    }
}

fn glass(read: &tobj::Material, colour: Option<Vector>) -> Material {
    Material::Glass { colour: colour.unwrap_or(Vector::all(1.0)), index: read.optical_density.unwrap_or(1.5) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = "newmtl red\nKd 1 0 0\nnewmtl gold\nKs 1 0.8 0.3\nNs 810\nillum 3\n\
        newmtl ice\nillum 7\nNi 1.3\nnewmtl shade\nKd 0 1 0\nd 0.5\nnewmtl bulb\nKe 9 9 8\n";

    fn scene(text: &str) -> Result<Scene, InputError> {
        parse(text, "file.obj", |name| materials(LIBRARY, name))
    }

    fn error(text: &str) -> String {
        scene(text).unwrap_err().to_string()
    }

    fn library_error(text: &str) -> String {
        materials(text, "file.mtl").unwrap_err().to_string()
    }

    #[test]
    fn materials_by_their_parameters() {
        let materials = materials(LIBRARY, "file.mtl").unwrap();
        let names: Vec<_> = materials.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["red", "gold", "ice", "shade", "bulb"]);
        assert_eq!(materials[0].1, Material::Diffuse { colour: Vector::new(1.0, 0.0, 0.0) });
        let Material::Mirror { colour, roughness } = materials[1].1 else { panic!("{:?}", materials[1]) };
        assert!(colour == Vector::new(1.0, 0.8, 0.3) && (roughness - 0.1).abs() < 1e-6);
        assert_eq!(materials[2].1, Material::Glass { colour: Vector::all(1.0), index: 1.3 });
        assert_eq!(materials[3].1, Material::Glass { colour: Vector::new(0.0, 1.0, 0.0), index: 1.5 });
        assert_eq!(materials[4].1, Material::Lamp { colour: Vector::new(9.0, 9.0, 8.0) });
    }

    #[test]
    fn shapes_with_the_material_in_use() {
        let text = "mtllib a.mtl\n#: sphere 1 2 3 4\nusemtl gold\nv 0 0 0\nv 1 0 0 # comment-free\n";
        assert!(error(text).contains("file.obj:5: \"#\" is not a number"));
        let text = "mtllib a.mtl\n  #: sphere 1 2 3 4\nusemtl gold\nv 0 0 0\nv 1 0 0 1\nv 2 2 0 2\nv 0 1 0 1 1 1\n\
            f 1/7/9 2//3 -2 -1\nusemtl ice\nf 1 2 3\nf 1 2 2\n#: plane 0 1 0  0 2 0\n#: checks red 0 0 0 2\n";
        let scene = scene(text).unwrap();
        let [a, b, c, d] = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| Vector::new(x, y, 0.0));
        let mut shapes = scene.shapes.clone();
        shapes.sort_by_key(|shape| shape.material);
        let forms: Vec<_> = shapes.iter().map(|shape| (shape.form, shape.material)).collect();
        assert_eq!(
            forms,
            [
                (Form::Sphere { centre: Vector::new(1.0, 2.0, 3.0), radius: 4.0 }, 0),
                (Form::Triangle { corners: [a, b, c] }, 2),
                (Form::Triangle { corners: [a, c, d] }, 2),
                (Form::Plane { point: Vector::new(0.0, 1.0, 0.0), up: Vector::new(0.0, 1.0, 0.0) }, 3),
                (Form::Triangle { corners: [a, b, c] }, 3),
            ]
        );
        assert_eq!(
            scene.materials[1],
            Material::Checks { even: Vector::new(1.0, 0.0, 0.0), odd: Vector::ZERO, side: 2.0 }
        );
    }

    #[test]
    fn camera_and_sky() {
        let text = "#: sphere 0 0 0 1\n#: camera 0 0 9 0 0 0 30\n#: sky 1 2 3 4 5 6\n#: sun 0 3 0 7 8 9 5\n";
        let read = scene(text).unwrap();
        let eye = Vector::new(0.0, 0.0, 9.0);
        assert_eq!(read.camera, Some(Camera { eye, target: Vector::ZERO, angle: 30.0, lens: 0.0 }));
        let sky = Sky {
            horizon: Vector::new(1.0, 2.0, 3.0),
            zenith: Vector::new(4.0, 5.0, 6.0),
            to_sun: Vector::new(0.0, 1.0, 0.0),
            sun: Vector::new(7.0, 8.0, 9.0),
            sharpness: 5,
        };
        assert_eq!(read.sky, sky);
        assert_eq!(scene("#: sphere 0 0 0 1\n#: camera 0 0 9 0 0 0 30 0.5\n").unwrap().camera.unwrap().lens, 0.5);
    }

    #[test]
    fn mistakes_name_file_and_line() {
        for (text, expected) in [
            ("\n#: sphere 1 2 3\n", "file.obj:2: 3 values instead of 4: a line is #: sphere X Y Z RADIUS"),
            ("#: sphere 1 2 3 -4\n", "file.obj:1: the radius is -4; it must be greater than 0"),
            ("#: sphere 1 2 x 4\n", "file.obj:1: \"x\" is not a number: a line is #: sphere X Y Z RADIUS"),
            ("#: plane 0 0 0 0 0 0\n", "file.obj:1: a direction of length 0"),
            ("#: cube\n", "file.obj:1: \"cube\" after #: is none of sphere, plane, checks, camera, sky, sun"),
            ("#:\n", "file.obj:1: \"\" after #: is none of sphere, plane, checks, camera, sky, sun"),
            ("v 1 2\n", "file.obj:1: 2 values instead of 3: a line is v X Y Z"),
            ("v 1 2 nan\n", "file.obj:1: nan is not between -1000000 and 1000000: a line is v X Y Z"),
            ("v 1 2 3 0\n", "file.obj:1: 4 values instead of 3: a line is v X Y Z"),
            ("v 0 0 0\nf 1 1\n", "file.obj:2: a face with 2 corners: a line is f 1 2 3"),
            ("v 0 0 0\nf 1 1 2\n", "file.obj:2: there is no vertex 2: 1 are defined so far"),
            ("v 0 0 0\nf 1 1 -2\n", "file.obj:2: there is no vertex -2: 1 are defined so far"),
            ("v 0 0 0\nf 1 1 a/b\n", "file.obj:2: \"a/b\" is not a corner: a line is f 1 2 3"),
            ("usemtl red\n", "file.obj:1: there is no material \"red\"; mtllib names their file"),
            ("mtllib a\n#: checks gold 1 1 1 1\n", "file.obj:2: gold is not a diffuse material"),
            ("mtllib a\n#: checks red 1 1 2 1\n", "file.obj:2: a colour has 2: red, green and blue are from 0 to 1"),
            ("#: camera 0 0 0 0 0 0 30\n", "file.obj:1: the camera looks at where it is"),
            ("#: camera 0 0 1 0 0 0 180\n", "file.obj:1: the angle of view is 180°; it must be from 0.1° to 170°"),
            ("#: sky 1 1 1 1 1 -1\n", "file.obj:1: a colour has -1: red, green and blue are not negative"),
            (
                "#: sun 0 1 0 1 1 1 2.5\n",
                "file.obj:1: the sun's sharpness is 2.5; it must be a whole number from 0 to 16",
            ),
            (
                "v 0 0 0\nf 1 1 1\n",
                "file.obj: no shapes; a line is f 1 2 3, #: sphere X Y Z RADIUS, or #: plane X Y Z NX NY NZ",
            ),
        ] {
            assert_eq!(error(text), expected);
        }
        for (text, expected) in [
            ("Kd 1 1 1\n", "file.mtl:1: Kd before the first newmtl"),
            ("newmtl\n", "file.mtl:1: a material without a name: a line is newmtl NAME"),
            ("newmtl a\nKd 1\n", "file.mtl:2: 1 values instead of 3: a line is Kd R G B"),
            ("newmtl a\nKd 1 1 1.5\n", "file.mtl:2: a colour has 1.5: red, green and blue are from 0 to 1"),
            ("newmtl a\nNi 0\n", "file.mtl:2: Ni is 0; it must be from 0.001 to 10"),
            ("newmtl a\nillum 2.5\n", "file.mtl:2: illum is 2.5; it must be from 0 to 10"),
            ("newmtl a\nillum two\n", "file.mtl:2: \"two\" is not a number: a line is illum NUMBER"),
        ] {
            assert_eq!(library_error(text), expected);
        }
    }
}

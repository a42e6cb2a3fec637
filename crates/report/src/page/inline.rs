//! Pictures inside a page: without the description, which the caption beside them gives, with coordinates to a tenth of a
//! pixel, without points that a line passes by less than a third of a pixel, with each shape of marker written once, and
//! with lines that look alike in one path.

/// The largest distance of a point that is left out from the line that is drawn, in pixels.
const CLOSE: f64 = 0.3;
/// Polygons of so many corners at most are markers.
const CORNERS: usize = 16;

type PicturePoint = (f64, f64);

/// The picture for a page where `id` names nothing else.
pub(crate) fn inlined(svg: &str, id: &str) -> String {
    joined(&reduced(svg, id))
}

fn reduced(svg: &str, id: &str) -> String {
    let svg = inherited(&without_description(svg));
    let (mut out, mut shapes) = (String::with_capacity(svg.len()), Vec::new());
    let mut rest = svg.as_str();
    while let Some(start) = ["<polygon points=\"", "<polyline points=\""].iter().filter_map(|tag| rest.find(tag)).min()
    {
        out += &rest[..start];
        let tag = &rest[start..];
        let Some(((name, points), after)) = tag.split_once(" points=\"").and_then(|(name, tail)| {
            let (points, after) = tail.split_once('"')?;
            Some(((name, points), after))
        }) else {
            break;
        };
        match parsed(points) {
            Some(points) if name == "<polygon" && points.len() <= CORNERS => out += &marker(&points, id, &mut shapes),
            Some(points) => out += &format!("{name} points=\"{}\"", text(&simplified(&points))),
            None => out += &format!("{name} points=\"{points}\""),
        }
        rest = after;
    }
    out += rest;
    if shapes.is_empty() {
        return out;
    }
    let each = shapes.iter().enumerate();
    let shapes: String = each.map(|(index, shape)| format!("<path id=\"{id}-{index}\" d=\"{shape}\"/>")).collect();
    match out.find('>') {
        Some(end) => format!("{}<defs>{shapes}</defs>{}", &out[..=end], &out[end + 1..]),
        None => out,
    }
}

/// A picture in which straight lines that follow each other and look alike, such as ticks, are one path. Where lines can
/// be seen through, they stay apart: what lies below two of them is darker.
fn joined(svg: &str) -> String {
    fn straight(element: &str) -> Option<(String, &str)> {
        let (points, look) = element.strip_prefix("<polyline points=\"")?.strip_suffix("/>")?.split_once('"')?;
        let (from, to) = points.split_once(' ')?;
        (!to.contains(' ') && !look.contains("opacity")).then(|| (format!("M{from} {to}"), look))
    }
    let (mut out, mut open) = (Vec::new(), None::<(String, &str)>);
    let closed = |(path, look)| format!("<path d=\"{path}\"{look}/>");
    for element in svg.lines() {
        match (straight(element), &mut open) {
            (Some((line, look)), Some((path, same))) if look == *same => *path += &line,
            (line, _) => {
                out.extend(std::mem::replace(&mut open, line).map(closed));
                if open.is_none() {
                    out.push(element.to_owned());
                }
            }
        }
    }
    out.extend(open.map(closed));
    out.join("\n")
}

/// A picture whose lines inherit what they all have, and whose texts the size of the first one. Other marks have a fill of
/// their own, and other texts a size.
fn inherited(svg: &str) -> String {
    const COMMON: [&str; 2] = [" fill=\"none\"", " stroke-linejoin=\"round\""];
    if !COMMON.iter().all(|attribute| svg.contains(attribute)) {
        return svg.to_owned();
    }
    let size = svg.split_once(" font-size=\"").and_then(|(_, rest)| Some(rest.split_once('"')?.0));
    let size = size.map(|size| format!(" font-size=\"{size}\""));
    let common: Vec<&str> = COMMON.into_iter().chain(size.as_deref()).collect();
    let own = common.iter().fold(svg.to_owned(), |svg, attribute| svg.replace(attribute, ""));
    own.replacen("<svg", &format!("<svg{}", common.concat()), 1)
}

/// A picture without its description.
fn without_description(svg: &str) -> String {
    match (svg.find("<desc>"), svg.find("</desc>")) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{}", &svg[..from], svg[to + "</desc>".len()..].trim_start_matches('\n'))
        }
        _ => svg.to_owned(),
    }
}

/// A marker as the use of a shape, which is drawn from its first corner.
fn marker(points: &[PicturePoint], id: &str, shapes: &mut Vec<String>) -> String {
    let (x, y) = points[0];
    let corners = points.iter().map(|(a, b)| format!("{},{}", tenth(a - x), tenth(b - y)));
    let shape = format!("M{}z", corners.collect::<Vec<_>>().join(" "));
    let index = shapes.iter().position(|known| *known == shape).unwrap_or_else(|| {
        shapes.push(shape);
        shapes.len() - 1
    });
    format!("<use href=\"#{id}-{index}\" x=\"{}\" y=\"{}\"", tenth(x), tenth(y))
}

fn parsed(points: &str) -> Option<Vec<PicturePoint>> {
    let point = |pair: &str| {
        let (x, y) = pair.split_once(',')?;
        Some((x.parse().ok()?, y.parse().ok()?))
    };
    let points: Option<Vec<PicturePoint>> = points.split(' ').map(point).collect();
    points.filter(|points| !points.is_empty())
}

fn text(points: &[PicturePoint]) -> String {
    points.iter().map(|(x, y)| format!("{},{}", tenth(*x), tenth(*y))).collect::<Vec<_>>().join(" ")
}

fn tenth(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".into() } else { text.to_owned() }
}

/// The points that it takes to draw the line up to [`CLOSE`], by the algorithm of Ramer, Douglas and Peucker.
fn simplified(points: &[PicturePoint]) -> Vec<PicturePoint> {
    let last = points.len().saturating_sub(1);
    let mut kept = vec![false; points.len()];
    for end in [0, last] {
        if let Some(kept) = kept.get_mut(end) {
            *kept = true;
        }
    }
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let distances = (from + 1..to).map(|at| (at, distance(points[at], points[from], points[to])));
        let Some((far, most)) = distances.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        if most > CLOSE {
            kept[far] = true;
            open.extend([(from, far), (far, to)]);
        }
    }
    points.iter().zip(kept).filter(|(_, kept)| *kept).map(|(point, _)| *point).collect()
}

/// The distance of a point from the segment between two others.
fn distance((x, y): PicturePoint, (ax, ay): PicturePoint, (bx, by): PicturePoint) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { (((x - ax) * dx + (y - ay) * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (x - ax - along * dx).hypot(y - ay - along * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_lose_their_description_and_nothing_else() {
        let svg = "<svg><title>t</title>\n<desc>d</desc>\n<g/></svg>";
        assert_eq!(inlined(svg, "a"), "<svg><title>t</title>\n<g/></svg>");
        assert_eq!(inlined("<svg/>", "a"), "<svg/>");
        let odd = "<svg><polyline points=\"1,x 2,3\"/></svg>";
        assert_eq!(inlined(odd, "a"), odd);
    }

    #[test]
    fn markers_are_drawn_from_one_shape() {
        let svg =
            "<svg w=\"1\"><polygon points=\"1,1 2,1 2,2\" fill=\"#000\"/><polygon points=\"11,1 12,1 12,2\"/></svg>";
        let expected = "<svg w=\"1\"><defs><path id=\"a-0\" d=\"M0,0 1,0 1,1z\"/></defs><use href=\"#a-0\" x=\"1\" y=\"1\" \
                        fill=\"#000\"/><use href=\"#a-0\" x=\"11\" y=\"1\"/></svg>";
        assert_eq!(inlined(svg, "a"), expected);
    }

    #[test]
    fn lines_inherit_what_they_share() {
        let line = |more: &str| format!("<polyline points=\"0,0 1,1\"{more} stroke=\"#000\"/>");
        let common = " fill=\"none\" stroke-linejoin=\"round\"";
        let svg = format!("<svg w=\"1\">{}{}</svg>", line(common), line(common));
        assert_eq!(inlined(&svg, "a"), format!("<svg{common} w=\"1\">{}{}</svg>", line(""), line("")));
        let text = |size: &str| format!("<text{size}>t</text>");
        let [usual, small] = [13, 9].map(|size| format!(" font-size=\"{size}\""));
        let svg = format!("<svg>{}{}{}{}</svg>", line(common), text(&usual), text(&small), text(&usual));
        let expected = format!("<svg{common}{usual}>{}{}{}{}</svg>", line(""), text(""), text(&small), text(""));
        assert_eq!(inlined(&svg, "a"), expected);
    }

    #[test]
    fn lines_that_look_alike_are_one_path() {
        let line = |x: u32, look: &str| format!("<polyline points=\"{x},0 {x},1\" stroke=\"{look}\"/>");
        let svg =
            ["<svg>", &line(1, "a"), &line(2, "a"), &line(3, "b"), "<g>", &line(4, "b"), "</g>", "</svg>"].join("\n");
        let expected = "<svg>\n<path d=\"M1,0 1,1M2,0 2,1\" stroke=\"a\"/>\n<path d=\"M3,0 3,1\" stroke=\"b\"/>\n<g>\n\
                        <path d=\"M4,0 4,1\" stroke=\"b\"/>\n</g>\n</svg>";
        assert_eq!(inlined(&svg, "a"), expected);
        let through =
            "<svg>\n<polyline points=\"0,0 1,1\" opacity=\"0.5\"/>\n<polyline points=\"0,0 1,9 2,3\"/>\n</svg>";
        assert_eq!(inlined(through, "a"), through);
    }

    #[test]
    fn lines_keep_what_can_be_seen() {
        let wave: Vec<PicturePoint> = (0..500).map(|at| (f64::from(at), 40.0 * (f64::from(at) / 50.0).sin())).collect();
        let short = simplified(&wave);
        assert!(short.len() < wave.len() / 3, "{} points", short.len());
        for point in &wave {
            let near = short.windows(2).map(|ends| distance(*point, ends[0], ends[1])).fold(f64::INFINITY, f64::min);
            assert!(near <= CLOSE + 1e-9, "{point:?} is {near} away");
        }
        assert_eq!(simplified(&[(0.0, 0.0), (1.0, 0.01), (2.0, 0.0)]), [(0.0, 0.0), (2.0, 0.0)]);
        assert_eq!(
            inlined("<svg><polyline points=\"0,0 1,0.01 2.04,0\" a/></svg>", "a"),
            "<svg><polyline points=\"0,0 2,0\" a/></svg>"
        );
    }
}

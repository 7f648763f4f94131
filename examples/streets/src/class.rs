//! The kinds of streets and junctions.

/// The kind of a street, after OpenStreetMap's `highway`, from the largest to the smallest.
///
/// ```
/// use streets::Class;
///
/// assert_eq!(Class::parse("primary_link"), Some(Class::Link));
/// assert!(Class::Motorway < Class::Residential, "larger streets come first");
/// assert!(!Class::Motorway.has_pedestrians() && !Class::Footway.has_cars());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Class {
    /// `motorway`
    Motorway,
    /// `trunk`
    Trunk,
    /// `primary`
    Primary,
    /// `secondary`
    Secondary,
    /// `tertiary`
    Tertiary,
    /// `motorway_link` and all other links
    Link,
    /// `unclassified`, `road`, `busway`, and unknown values
    Unclassified,
    /// `residential`
    Residential,
    /// `living_street`
    LivingStreet,
    /// `service`
    Service,
    /// `track`
    Track,
    /// `pedestrian`
    Pedestrian,
    /// `cycleway`
    Cycleway,
    /// `footway`, `path`, `bridleway`, `corridor`
    Footway,
    /// `steps`
    Steps,
}

impl Class {
    /// All classes, from the largest to the smallest.
    pub const ALL: [Self; 15] = [
        Self::Motorway,
        Self::Trunk,
        Self::Primary,
        Self::Secondary,
        Self::Tertiary,
        Self::Link,
        Self::Unclassified,
        Self::Residential,
        Self::LivingStreet,
        Self::Service,
        Self::Track,
        Self::Pedestrian,
        Self::Cycleway,
        Self::Footway,
        Self::Steps,
    ];

    /// The class for a value of OpenStreetMap.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "motorway" => Self::Motorway,
            "trunk" => Self::Trunk,
            "primary" => Self::Primary,
            "secondary" => Self::Secondary,
            "tertiary" => Self::Tertiary,
            "motorway_link" | "trunk_link" | "primary_link" | "secondary_link" | "tertiary_link" => Self::Link,
            "unclassified" | "road" | "busway" | "bus_guideway" => Self::Unclassified,
            "residential" => Self::Residential,
            "living_street" => Self::LivingStreet,
            "service" => Self::Service,
            "track" => Self::Track,
            "pedestrian" => Self::Pedestrian,
            "cycleway" => Self::Cycleway,
            "footway" | "path" | "bridleway" | "corridor" => Self::Footway,
            "steps" => Self::Steps,
            _ => return None,
        })
    }

    /// The default speed limit, in metres per second.
    #[must_use]
    pub fn usual_speed(self) -> f32 {
        let kilometres_per_hour = match self {
            Self::Motorway => 120.0,
            Self::Trunk => 100.0,
            Self::Primary => 65.0,
            Self::Secondary => 60.0,
            Self::Tertiary | Self::Link | Self::Unclassified => 50.0,
            Self::Residential => 30.0,
            Self::Service | Self::Track | Self::Cycleway => 20.0,
            Self::LivingStreet | Self::Pedestrian | Self::Footway => 7.0,
            Self::Steps => 3.0,
        };
        kilometres_per_hour / 3.6
    }

    /// The default number of lanes in one direction.
    #[must_use]
    pub fn usual_lanes(self) -> u8 {
        match self {
            Self::Motorway | Self::Trunk => 2,
            _ => 1,
        }
    }

    /// Whether cars may use it.
    #[must_use]
    pub fn has_cars(self) -> bool {
        self <= Self::Track
    }

    /// Whether pedestrians may use it.
    #[must_use]
    pub fn has_pedestrians(self) -> bool {
        !matches!(self, Self::Motorway | Self::Trunk | Self::Cycleway)
    }

    /// Its traffic relative to the smallest street: the weight in a random walk.
    #[must_use]
    pub fn weight(self) -> u32 {
        match self {
            Self::Motorway => 32,
            Self::Trunk => 24,
            Self::Primary => 16,
            Self::Secondary => 12,
            Self::Link => 10,
            Self::Tertiary => 8,
            Self::Unclassified => 4,
            Self::Residential => 3,
            Self::LivingStreet => 2,
            _ => 1,
        }
    }
}

/// The signal or sign that makes drivers stop at a junction, after OpenStreetMap's `highway` of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Control {
    /// Nothing, or a node between junctions.
    #[default]
    None,
    /// `traffic_signals`
    Lights,
    /// `stop`
    Stop,
    /// `give_way`
    Yield,
    /// `crossing`
    Crossing,
}

impl Control {
    /// The control for a value of OpenStreetMap; [`Control::None`] for unknown values.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text {
            "traffic_signals" => Self::Lights,
            "stop" => Self::Stop,
            "give_way" => Self::Yield,
            "crossing" => Self::Crossing,
            _ => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_in_order() {
        assert!(Class::ALL.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(Class::ALL.iter().enumerate().all(|(n, &class)| class as usize == n));
        assert!(Class::ALL.iter().all(|class| class.has_cars() || class.weight() == 1));
    }
}

//! What the machine is called.

/// The processor, as its maker calls it; `None` where the system does not say.
pub fn processor() -> Option<String> {
    if cfg!(target_os = "linux") {
        named_in(&std::fs::read_to_string("/proc/cpuinfo").ok()?)
    } else if cfg!(windows) {
        std::env::var("PROCESSOR_IDENTIFIER").ok().filter(|name| !name.is_empty())
    } else {
        None
    }
}

/// The name in the text of `/proc/cpuinfo`.
fn named_in(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_processor_names_all() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\n\nmodel name\t: Another\n";
        assert_eq!(named_in(text).as_deref(), Some("Some CPU @ 3 GHz"));
        assert_eq!(named_in("processor\t: 0\n"), None);
    }
}

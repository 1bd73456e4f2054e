//! Who may ask: this host, this origin, this visitor. Plain functions of headers.

use std::net::IpAddr;

/// Name of the cookie that is all there is to a visitor.
pub const COOKIE: &str = "nue";

/// Random letters in a visitor's secret.
pub const SECRET: usize = 32;

/// What page and frames may do: nothing that does not come from here.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; media-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// The same for a page that is its own server: it compiles its engine, and a page's head has no say in who
/// frames it.
pub(crate) fn policy_without_server() -> String {
    let policy = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'");
    policy.replace("; frame-ancestors 'none'", "")
}

/// Headers of every answer.
pub const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// Whether an address is reached from this machine alone.
pub const fn is_loopback(ip: IpAddr) -> bool {
    ip.is_loopback()
}

/// The name in a `Host` header, without its port.
fn name_of(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split_once(']').map_or(rest, |(name, _)| name);
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

/// Whether a request is for this server. On loopback the name must be one of this machine's own: a
/// foreign name that resolves to it is an attack (DNS rebinding). Elsewhere the token decides.
pub fn host_is_ours(host: Option<&str>, loopback: bool) -> bool {
    let Some(host) = host else { return false };
    let name = name_of(host).trim_end_matches('.');
    let local = name.eq_ignore_ascii_case("localhost")
        || name.to_ascii_lowercase().ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    local || (!loopback && !name.is_empty())
}

/// Whether a request comes from our own page, or from no page at all.
pub fn origin_is_ours(origin: Option<&str>, site: Option<&str>, host: Option<&str>) -> bool {
    if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return false;
    }
    match origin {
        None => true,
        Some(origin) => {
            let authority =
                origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            authority.is_some_and(|a| host.is_some_and(|h| a.eq_ignore_ascii_case(h)))
        }
    }
}

/// The visitor's secret in a `Cookie` header, if it looks like one.
pub fn secret(cookies: &str) -> Option<&str> {
    cookies
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, value)| *name == COOKIE && is_secret(value))
        .map(|(_, value)| value)
}

fn is_secret(value: &str) -> bool {
    value.len() == SECRET && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

/// The cookie that makes a browser a visitor.
pub fn cookie(secret: &str) -> String {
    format!("{COOKIE}={secret}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict")
}

/// Whether two secrets are the same, in a time that does not tell where they differ.
pub fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut differ = u8::from(a.len() != b.len());
    for (i, byte) in b.iter().enumerate() {
        differ |= byte ^ a.get(i).copied().unwrap_or(0);
    }
    std::hint::black_box(differ) == 0
}

/// The token in a query string.
pub fn token(query: &str) -> Option<&str> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(k, _)| *k == "token")
        .map(|(_, v)| v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for (host, loopback, want) in [
            (Some("localhost:8088"), true, true),
            (Some("LOCALHOST"), true, true),
            (Some("127.0.0.1:8088"), true, true),
            (Some("127.9.9.9"), true, true),
            (Some("[::1]:8088"), true, true),
            (Some("nue.localhost:1"), true, true),
            (Some("evil.example:8088"), true, false),
            (Some("localhost.evil.example"), true, false),
            (Some("192.168.0.7:8088"), true, false),
            (Some(""), true, false),
            (None, true, false),
            (Some("192.168.0.7:8088"), false, true),
            (Some("box.example"), false, true),
            (Some(""), false, false),
            (None, false, false),
        ] {
            assert_eq!(host_is_ours(host, loopback), want, "{host:?}");
        }
    }

    #[test]
    fn origins() {
        let host = Some("localhost:8088");
        for (origin, site, want) in [
            (None, None, true),
            (Some("http://localhost:8088"), Some("same-origin"), true),
            (Some("http://localhost:8088"), None, true),
            (Some("https://localhost:8088"), None, true),
            (None, Some("none"), true),
            (None, Some("cross-site"), false),
            (None, Some("same-site"), false),
            (Some("http://localhost:9999"), None, false),
            (Some("http://evil.example"), None, false),
            (Some("null"), None, false),
            (Some("file://"), None, false),
            (Some(""), None, false),
        ] {
            assert_eq!(origin_is_ours(origin, site, host), want, "{origin:?} {site:?}");
        }
        assert!(!origin_is_ours(Some("http://localhost"), None, None));
    }

    #[test]
    fn cookies() {
        let good = "A".repeat(SECRET);
        assert_eq!(secret(&format!("a=b; nue={good}; c=d")), Some(good.as_str()));
        assert!(cookie(&good).contains("HttpOnly; SameSite=Strict"));
        for bad in ["", "nue", "nue=", "nue=short", &format!("nue={}'", "A".repeat(SECRET - 1))] {
            assert_eq!(secret(bad), None, "{bad}");
        }
        assert_eq!(secret(&format!("xnue={good}")), None);
    }

    #[test]
    fn tokens() {
        assert!(same("abc", "abc"));
        for (a, b) in [("abc", "abd"), ("abc", "ab"), ("ab", "abc"), ("", "a"), ("a", "")] {
            assert!(!same(a, b), "{a} {b}");
        }
        assert_eq!(token("x=1&token=abc"), Some("abc"));
        assert_eq!(token("tokens=abc"), None);
    }

    #[test]
    fn the_policy_lets_nothing_in_from_elsewhere() {
        assert!(!POLICY.contains("unsafe") && !POLICY.contains('*') && !POLICY.contains("http"));
    }
}

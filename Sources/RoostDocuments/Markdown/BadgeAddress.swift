import Foundation

/// Recognizes the addresses of badges: small images that show a state, such as the result of a build.
enum BadgeAddress {
    /// The hosts of services that only serve badges.
    private static let hosts: Set<String> = [
        "img.shields.io", "shields.io", "badge.fury.io", "badgen.net", "flat.badgen.net", "forthebadge.com",
        "badges.gitter.im", "badges.greenkeeper.io", "badge.buildkite.com", "badges.frapsoft.com",
        "travis-ci.org", "travis-ci.com", "api.travis-ci.org", "api.travis-ci.com", "codecov.io",
        "coveralls.io", "circleci.com", "dl.circleci.com", "ci.appveyor.com", "goreportcard.com",
        "api.codeclimate.com", "codeclimate.com", "api.codacy.com", "app.codacy.com", "deps.rs", "docs.rs",
        "isitmaintained.com", "david-dm.org", "snyk.io", "repology.org", "zenodo.org", "mybinder.org",
        "hits.dwyl.com", "hits.seeyoufarm.com", "komarev.com", "visitor-badge.glitch.me", "nodei.co",
        "opencollective.com", "bestpractices.coreinfrastructure.org", "sonarcloud.io", "scan.coverity.com",
        "readthedocs.org", "pepy.tech", "static.pepy.tech", "github-readme-stats.vercel.app",
        "api.reuse.software",
        "colab.research.google.com", "gitpod.io", "deepwiki.com", "results.pre-commit.ci", "dev.azure.com",
    ]

    /// Returns whether a URL is the address of a badge: on the host of a service for badges, or with `badge`
    /// or `shield` in its path.
    static func isBadge(_ address: String) -> Bool {
        guard address.utf8.count <= 2000 else { return false }
        let lower = address.lowercased()
        guard let start = lower.range(of: "//")?.upperBound,
            lower.hasPrefix("http") || lower.hasPrefix("//")
        else { return false }
        let rest = lower[start...]
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != ":" }
        if hosts.contains(String(host.hasPrefix("www.") ? host.dropFirst(4) : host)) { return true }
        let path = rest.dropFirst(host.count).prefix { $0 != "?" }
        return path.contains("badge") || path.contains("/shield") || path.hasSuffix("/widget.png")
            || (path.contains("/workflows/") && path.hasSuffix(".svg"))
    }
}

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "roost-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "roost", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "RoostBenchmarks",
            dependencies: [
                "CSQLite",
                .product(name: "Roost", package: "roost"),
                .product(name: "RoostBenchmarkSupport", package: "roost"),
                .product(name: "RoostBackups", package: "roost"),
                .product(name: "RoostChunks", package: "roost"),
                .product(name: "RoostConversations", package: "roost"),
                .product(name: "RoostPostgres", package: "roost"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

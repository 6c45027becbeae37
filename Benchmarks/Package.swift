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
        .executableTarget(
            name: "RoostBenchmarks",
            dependencies: [
                .product(name: "Roost", package: "roost"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ])
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

/// Features of later language modes that every Swift target of the package is written in. Targets that
/// stand where users stand (examples and guides) are built without them.
let upcomingFeatures: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let hashTrees: Target.Dependency = .product(name: "HashTreeCollections", package: "swift-collections")
let http: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let nio: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1"].map { .product(name: $0, package: "swift-nio") }
let bits: Target.Dependency = .product(name: "BitCollections", package: "swift-collections")

let package = Package(
    name: "roost",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Roost", targets: ["Roost"]),
        .library(name: "RoostBackups", targets: ["RoostBackups"]),
        .library(name: "RoostChunks", targets: ["RoostChunks"]),
        .library(name: "RoostConversations", targets: ["RoostConversations"]),
        .library(name: "RoostRemote", targets: ["RoostRemote"]),
        .library(name: "RoostTestKit", targets: ["RoostTestKit"]),
        .executable(name: "roost", targets: ["RoostCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // System libraries and C.
        .systemLibrary(name: "CBLAS", pkgConfig: "blas", providers: [.apt(["libblas-dev"])]),
        .systemLibrary(name: "CLAPACK", pkgConfig: "lapack", providers: [.apt(["liblapack-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .target(name: "CRoostKernels"),
        .target(
            name: "CRoostSQLite", dependencies: ["CRoostKernels"], linkerSettings: [.linkedLibrary("sqlite3")]),

        // Pure: no files, no sockets.
        .target(
            name: "RoostVectors",
            dependencies: [
                "CRoostKernels", bits,
                .target(name: "CBLAS", condition: .when(platforms: [.linux])),
                .target(name: "CLAPACK", condition: .when(platforms: [.linux])),
            ]),
        .target(name: "RoostText"),
        .target(name: "RoostFiles", dependencies: ["CRoostKernels"]),
        .target(name: "RoostModel", dependencies: ["RoostVectors", "RoostText", crypto, hashTrees, logging]),

        // Pieces of bytes under names; it knows nothing of entries.
        .target(name: "RoostChunks", dependencies: ["RoostFiles", "CZlib", "CZstd", crypto, cryptoExtras]),

        // Adapters: each one way to do what a protocol of RoostModel asks.
        .target(name: "RoostJSON", dependencies: ["RoostModel", "RoostFiles", "RoostVectors", crypto]),
        .target(
            name: "RoostSQLite",
            dependencies: ["RoostModel", "RoostFiles", "RoostVectors", "CRoostSQLite", grdb]),
        .target(
            name: "RoostEncoders",
            dependencies: ["RoostModel", "RoostFiles", "RoostText", "RoostVectors", "CRoostKernels", crypto]),
        .target(
            name: "RoostBackups", dependencies: ["RoostModel", "RoostFiles", "RoostVectors", "RoostChunks", crypto]),
        .target(
            name: "RoostConversations", dependencies: ["RoostModel", "RoostFiles", grdb, crypto, logging]),
        .target(name: "RoostIndexes", dependencies: ["RoostVectors", "RoostFiles", "CRoostKernels"]),
        .target(
            name: "RoostClustering",
            dependencies: ["RoostModel", "RoostText", "RoostVectors", "CRoostKernels"]),

        // Composition.
        .target(
            name: "Roost",
            dependencies: [
                "RoostModel", "RoostText", "RoostVectors", "RoostFiles", "RoostJSON", "RoostSQLite",
                "RoostEncoders", "RoostIndexes", "RoostClustering", "RoostChunks", "RoostBackups",
                "RoostConversations", crypto, logging,
            ]),
        // What goes over the network, apart, so that whoever needs none builds no HTTP client.
        .target(
            name: "RoostRemote",
            dependencies: ["RoostModel", "RoostText", "RoostVectors", "RoostFiles", "RoostChunks", http, crypto] + nio),
        .executableTarget(
            name: "RoostCLI", dependencies: ["Roost", "RoostRemote", "RoostFiles", argumentParser]),
        .target(
            name: "RoostTestKit", dependencies: ["RoostModel", "RoostVectors", "RoostChunks", "RoostConversations"]),

        // What tests are made with: writes that a child process is killed in.
        .target(name: "CFaultyVFS", path: "Tests/Support/CFaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "CrashWorkload",
            dependencies: [
                "RoostModel", "RoostFiles", "RoostVectors", "RoostJSON", "RoostSQLite", "RoostConversations",
                "RoostTestKit",
            ],
            path: "Tests/Support/CrashWorkload"),
        .target(name: "FakeServer", dependencies: nio, path: "Tests/Support/FakeServer"),
        .executableTarget(
            name: "storage-worker",
            dependencies: ["CrashWorkload", "CFaultyVFS", "RoostFiles", "RoostModel", "RoostJSON", "RoostTestKit"],
            path: "Tests/Support/StorageWorker"),

        .testTarget(
            name: "RoostEncodersTests",
            dependencies: ["RoostEncoders", "RoostModel", "RoostVectors", "CRoostKernels", "RoostText"]),
        .testTarget(
            name: "RoostVectorsTests",
            dependencies: ["RoostVectors", "RoostIndexes", "RoostClustering", "RoostText", "CRoostKernels"]),
        .testTarget(
            name: "RoostRemoteTests",
            dependencies: [
                "RoostRemote", "RoostModel", "RoostVectors", "RoostChunks", "RoostBackups", "RoostTestKit", "FakeServer",
                crypto,
            ] + nio),
        .testTarget(
            name: "RoostChunksTests", dependencies: ["RoostChunks", "RoostFiles", "RoostTestKit", crypto]),
        .testTarget(
            name: "RoostBackupsTests", dependencies: ["RoostBackups", "RoostChunks", "RoostModel", "RoostVectors"]),
        .testTarget(name: "RoostTextTests", dependencies: ["RoostText"]),
        .testTarget(
            name: "RoostConversationsTests",
            dependencies: ["RoostConversations", "RoostModel", "RoostFiles", "RoostTestKit", crypto, grdb]),
        .testTarget(
            name: "ExampleTests",
            dependencies: ["Roost", "RoostChunks", "RoostConversations", "RoostModel", "RoostTestKit", grdb]),
        .testTarget(
            name: "RoostTests",
            dependencies: ["Roost", "RoostCLI", "RoostTestKit", "FakeServer", "storage-worker"]),
        .testTarget(
            name: "RoostStorageTests",
            dependencies: [
                "RoostModel", "RoostFiles", "RoostJSON", "RoostSQLite", "RoostTestKit", "CrashWorkload",
                "storage-worker", "CFaultyVFS", logging, grdb,
            ]),
    ],
    swiftLanguageModes: [.v6]
)

let withoutUpcomingFeatures: Set = ["CRoostKernels", "CRoostSQLite", "CFaultyVFS", "ExampleTests"]

for target in package.targets where target.type != .system && !withoutUpcomingFeatures.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + upcomingFeatures
}

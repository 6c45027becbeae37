// swift-tools-version: 6.2
import PackageDescription

/// The upcoming language features that all Swift targets use, except examples and tests of guides: these are
/// built like the code of users.
let upcomingFeatures = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
].map { SwiftSetting.enableUpcomingFeature($0) }

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let hashTrees: Target.Dependency = .product(name: "HashTreeCollections", package: "swift-collections")
/// The packages of servers and remote models. A program that only stores and searches disables the trait, so that
/// SwiftPM does not download them.
let network: TargetDependencyCondition? = .when(traits: ["Network"])
let httpTypes: Target.Dependency = .product(
    name: "HTTPTypes", package: "swift-http-types", condition: network)
let nio: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1"].map {
    .product(name: $0, package: "swift-nio", condition: network)
}
let hummingbird: [Target.Dependency] = [
    .product(name: "Hummingbird", package: "hummingbird", condition: network),
    .product(name: "HummingbirdCore", package: "hummingbird", condition: network),
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: network),
    .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: network),
    httpTypes,
]
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let deques: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let bits: Target.Dependency = .product(name: "BitCollections", package: "swift-collections")

/// The commit that `roost --version` shows, which `Scripts/package` passes in an environment variable.
let commit = (Context.environment["ROOST_COMMIT"] ?? "").filter(\.isHexDigit)
let buildCommit: [CSetting] = commit.isEmpty ? [] : [.define("ROOST_COMMIT", to: "\"\(commit)\"")]

/// On Linux, `Scripts/build` links the Swift runtime into `roost` and exports no symbols, for a faster start (decision
/// 24). Compiled files request only Foundation, and not the static libraries that it needs, so these are listed. No
/// library product contains the program, so packages that depend on Roost do not see these unsafe flags.
let foundationLibraries = [
    "FoundationXML", "_CFXMLInterface", "Foundation", "CoreFoundation", "FoundationInternationalization",
    "FoundationEssentials", "_FoundationICU", "_FoundationCShims", "_FoundationCollections",
].map { "-l\($0)" }
/// The libraries that the targets `…Loader` load are removed from those that the program loads when it starts.
let loadedLater = ["blas", "lapack", "curl", "pq", "gmime-3.0", "gobject-2.0", "glib-2.0", "gio-2.0"]
let linkerFlags = ["--no-export-dynamic"] + loadedLater.map { "--remap-inputs=*/lib\($0).so=/dev/null" }
let runtimeFlags = ["-static-stdlib"] + linkerFlags.flatMap { ["-Xlinker", $0] } + foundationLibraries
let isStatic = Context.environment["ROOST_STATIC_RUNTIME"] != nil
let staticRuntime: [LinkerSetting] = isStatic ? [.unsafeFlags(runtimeFlags, .when(platforms: [.linux]))] : []

let package = Package(
    name: "roost",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Roost", targets: ["Roost", "RoostStorage"]),
        .library(name: "RoostChunks", targets: ["RoostChunks"]),
        .library(name: "RoostConversations", targets: ["RoostConversations"]),
        .library(name: "RoostDocuments", targets: ["RoostDocuments"]),
        .library(name: "RoostModel", targets: ["RoostModel", "RoostVectors"]),
        .library(name: "RoostPostgres", targets: ["RoostPostgres"]),
        .library(name: "RoostRemote", targets: ["RoostRemote"]),
        .library(name: "RoostTestKit", targets: ["RoostTestKit"]),
        .executable(name: "roost", targets: ["RoostCLI", "CRoostLinkage"]),
    ],
    traits: [
        .default(enabledTraits: ["Network"]),
        .trait(name: "Network", description: "Servers, and models on servers"),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // System libraries and C.
        .systemLibrary(name: "CBLAS", pkgConfig: "blas", providers: [.apt(["libblas-dev"])]),
        .systemLibrary(name: "CLAPACK", pkgConfig: "lapack", providers: [.apt(["liblapack-dev"])]),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "CCommonMark", pkgConfig: "libcmark-gfm",
            providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"]), .brew(["cmark-gfm"])]),
        .systemLibrary(name: "CGumbo", pkgConfig: "gumbo", providers: [.apt(["libgumbo-dev"])]),
        .systemLibrary(
            name: "CGMime", pkgConfig: "gmime-3.0", providers: [.apt(["libgmime-3.0-dev"]), .brew(["gmime"])]),
        .systemLibrary(name: "CXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"]), .brew(["snowball"])]),
        .systemLibrary(
            name: "CUchardet", pkgConfig: "uchardet",
            providers: [.apt(["libuchardet-dev"]), .brew(["uchardet"])]),
        .target(name: "CRoostKernels"),
        // On Linux, these targets load libraries that most commands do not need.
        .target(name: "CRoostLoader"),
        .target(name: "CBLASLoader", dependencies: ["CRoostLoader", "CBLAS", "CLAPACK"]),
        .target(name: "CCurlLoader", dependencies: ["CRoostLoader", "CCurl"]),
        .target(name: "CGMimeLoader", dependencies: ["CRoostLoader", "CGMime"]),
        .target(name: "CPostgresLoader", dependencies: ["CRoostLoader", "CPostgres"]),
        .target(name: "CICULoader"),
        .target(name: "CRoostVersion", cSettings: buildCommit),
        // The page of `roost serve`, whose files the compiler embeds.
        .target(name: "CRoostPage", exclude: ["page"]),
        // Options of a linker reach everything that links a target. Tests link RoostCLI, but not this target.
        .target(name: "CRoostLinkage", linkerSettings: staticRuntime),
        .target(
            name: "CRoostSQLite", dependencies: ["CRoostKernels"], linkerSettings: [.linkedLibrary("sqlite3")]
        ),

        // Modules without input or output, and the module for files.
        .target(
            name: "RoostVectors",
            dependencies: [
                "RoostFiles", "CRoostKernels", bits,
                .target(name: "CBLASLoader", condition: .when(platforms: [.linux])),
            ]),
        .target(name: "RoostText", dependencies: ["CStemmer", "CICULoader"]),
        .target(name: "RoostFiles", dependencies: ["CCrypto", "CRoostKernels", deques]),
        .target(
            name: "RoostModel",
            dependencies: ["RoostFiles", "RoostVectors", "RoostText", hashTrees, logging]),

        // Named sequences of bytes, and backups, which are kept in them.
        .target(
            name: "RoostChunks",
            dependencies: ["RoostModel", "RoostFiles", "RoostVectors", "CZlib", "CZstd"]),

        // Adapters: each implements a protocol of RoostModel.
        .target(
            name: "RoostStorage",
            dependencies: ["RoostModel", "RoostFiles", "RoostText", "RoostVectors", "CRoostSQLite", grdb]),
        .target(
            name: "RoostPostgres",
            dependencies: ["RoostModel", "RoostFiles", "RoostVectors", "CPostgresLoader"]),
        .target(
            name: "RoostEncoders",
            dependencies: ["RoostModel", "RoostFiles", "RoostText", "RoostVectors", "CRoostKernels"]),
        .target(
            name: "RoostClustering",
            dependencies: ["RoostModel", "RoostText", "RoostVectors", "CRoostKernels"]),

        // Readers of document formats.
        .target(
            name: "RoostDocuments",
            dependencies: [
                "RoostModel", "RoostFiles", "RoostText", "CRoostKernels", "CCommonMark", "CGMimeLoader",
                "CGumbo", "CUchardet", "CXML", "CZip", grdb, yams,
            ]),

        // The composition of the modules above.
        .target(
            name: "Roost",
            dependencies: [
                "RoostModel", "RoostText", "RoostVectors", "RoostFiles", "RoostStorage", "RoostEncoders",
                "RoostClustering", "RoostChunks", "RoostDocuments", "CRoostPage", logging,
            ]),
        // Histories of chats, and conversations as entries of a store.
        .target(
            name: "RoostConversations",
            dependencies: ["Roost", "RoostFiles", "RoostModel", "RoostStorage", "RoostText", grdb, logging]),
        // The operations that front ends offer, and the servers of `roost mcp` and `roost serve`.
        .target(
            name: "RoostServer",
            dependencies: [
                "Roost", "RoostChunks", "RoostClustering", "RoostConversations", "RoostFiles", "RoostModel",
                "RoostText", "RoostVectors", logging,
            ] + hummingbird + nio),
        // Network access, a separate product: programs that do not need it build no HTTP client.
        .target(
            name: "RoostRemote",
            dependencies: [
                "RoostModel", "RoostVectors", "RoostFiles", "RoostChunks", "CCurlLoader", httpTypes,
            ]),
        // The commands of `roost`.
        .executableTarget(
            name: "RoostCLI",
            dependencies: [
                "Roost", "RoostChunks", "RoostConversations", "RoostServer",
                "RoostRemote", "RoostFiles", "RoostDocuments", "CRoostVersion", "RoostPostgres", "RoostModel",
                "RoostStorage", argumentParser, logging,
            ]),
        .target(
            name: "RoostTestKit",
            dependencies: ["RoostModel", "RoostFiles", "RoostVectors", "RoostChunks", "RoostConversations"]),

        // `Scripts/benchmark` runs it.
        .executableTarget(
            name: "RoostBenchmarks",
            dependencies: [
                "CRoostSQLite", "Roost", "RoostChunks", "RoostConversations",
                "RoostDocuments", "RoostEncoders",
                "RoostModel", "RoostPostgres", "RoostStorage", "RoostText", "RoostVectors", argumentParser,
            ], path: "Benchmarks/Sources"),

        // Support for tests, including programs that are killed while they write.
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .target(
            name: "CFaultyVFS", path: "Tests/Support/CFaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "CrashWorkload",
            dependencies: [
                "RoostModel", "RoostFiles", "RoostVectors", "RoostStorage", "RoostConversations",
                "RoostTestKit",
            ], path: "Tests/Support/CrashWorkload"),
        .target(name: "FakeServer", dependencies: nio, path: "Tests/Support/FakeServer"),
        .executableTarget(
            name: "storage-worker",
            dependencies: [
                "CrashWorkload", "CFaultyVFS", "RoostFiles", "RoostModel", "RoostStorage", "RoostTestKit",
            ], path: "Tests/Support/StorageWorker"),
        .executableTarget(
            name: "postgres-worker", dependencies: ["RoostPostgres", "RoostModel", "RoostTestKit"],
            path: "Tests/Support/PostgresWorker"),

        .testTarget(
            name: "RoostEncodersTests",
            dependencies: [
                "TestSupport", "RoostEncoders", "RoostModel", "RoostVectors", "CRoostKernels", "RoostText",
            ]),
        .testTarget(
            name: "RoostFilesTests",
            dependencies: ["TestSupport", "RoostFiles", "RoostVectors", "CRoostKernels"]),
        .testTarget(
            name: "RoostVectorsTests", dependencies: ["TestSupport", "RoostVectors", "CRoostKernels"]),
        .testTarget(
            name: "RoostClusteringTests",
            dependencies: ["TestSupport", "RoostClustering", "RoostVectors", "RoostModel", "RoostText"]),
        .testTarget(
            name: "RoostServerTests",
            dependencies: [
                "TestSupport", "RoostServer", "RoostChunks", "RoostCLI", "RoostConversations", "Roost",
                "RoostModel", "RoostRemote", logging,
            ] + hummingbird + nio),
        .testTarget(
            name: "RoostRemoteTests",
            dependencies: [
                "TestSupport", "RoostRemote", "RoostFiles", "RoostModel", "RoostVectors", "RoostChunks",
                "RoostTestKit", "FakeServer", httpTypes,
            ] + nio),
        .testTarget(
            name: "RoostChunksTests",
            dependencies: [
                "TestSupport", "RoostChunks", "RoostFiles", "RoostModel", "RoostTestKit", "RoostVectors",
            ]),
        .testTarget(
            name: "RoostDocumentsTests",
            dependencies: ["TestSupport", "RoostBenchmarks", "RoostDocuments", "RoostModel", grdb]),
        .testTarget(name: "RoostTextTests", dependencies: ["TestSupport", "RoostText"]),
        .testTarget(
            name: "RoostConversationsTests",
            dependencies: [
                "TestSupport", "RoostConversations", "RoostModel", "Roost", "RoostVectors", "RoostStorage",
                "RoostFiles", "RoostTestKit", grdb,
            ]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "TestSupport", "Roost", "RoostChunks", "RoostConversations", "RoostDocuments", "RoostVectors",
                "RoostModel", "RoostRemote", "RoostStorage", "RoostTestKit", grdb,
            ],
            packageAccess: false),
        .testTarget(
            name: "RoostTests",
            dependencies: [
                "TestSupport", "Roost", "RoostChunks", "RoostConversations", "RoostVectors",
                "RoostCLI", "RoostClustering", "RoostDocuments", "RoostFiles", "RoostModel", "RoostStorage",
                "RoostTestKit", "RoostText",
            ]),
        .testTarget(
            name: "RoostCLITests",
            dependencies: [
                "TestSupport", "Roost", "RoostChunks", "RoostConversations", "RoostCLI", "RoostServer",
                "RoostFiles", "RoostModel", "FakeServer", "storage-worker",
            ]),
        .testTarget(
            name: "RoostModelTests",
            dependencies: [
                "RoostModel", "RoostFiles", "RoostStorage", "RoostTestKit", "TestSupport", logging,
            ]),
        .testTarget(
            name: "RoostPostgresTests",
            dependencies: [
                "RoostPostgres", "Roost", "RoostModel", "RoostFiles", "RoostVectors", "RoostTestKit",
                "TestSupport", "postgres-worker",
            ]),
        .testTarget(
            name: "RoostStorageTests",
            dependencies: [
                "RoostModel", "RoostFiles", "RoostText", "RoostVectors", "RoostStorage",
                "RoostConversations", "RoostTestKit",
                "TestSupport", "CrashWorkload", "storage-worker", grdb,
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// `Scripts/docs` sets the variable. Without it, users of the package do not resolve the plugin.
if Context.environment["ROOST_DOCC"] != nil {
    package.dependencies.append(
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}

/// Complete programs, which use public API only.
let examples = ["NoteSearch", "FolderIndex", "ListAndDelete", "FilteredSearch", "CustomClusterer"]
package.targets += examples.map {
    .executableTarget(name: $0, dependencies: ["Roost"], path: "Examples/\($0)", packageAccess: false)
}

let withSettingsOfUsers = examples + ["ExampleTests"]
for target in package.targets where target.type != .system && !withSettingsOfUsers.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + upcomingFeatures
}

/// The command line only calls the other modules, and most tests compute little, so they are not
/// optimized: this takes a third of the time to compile (decision 24). No library product contains these targets,
/// so packages that depend on Roost do not see the flag, which SwiftPM calls unsafe.
let modulesThatOnlyCallOthers: Set = ["RoostCLI"]
let testsWithLongComputations: Set = [
    "RoostClusteringTests", "RoostEncodersTests", "RoostTextTests", "RoostVectorsTests",
]

let notOptimized = package.targets.filter {
    $0.type == .test
        ? !testsWithLongComputations.contains($0.name) : modulesThatOnlyCallOthers.contains($0.name)
}
for target in notOptimized {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
}

// `Scripts/build` sets the variable, so that tests can import the internal declarations of optimized modules. The
// option `-enable-testing` of a whole build would also slow down the compilation of the packages that Roost uses.
if Context.environment["ROOST_TESTABLE"] != nil {
    for target in package.targets where ![.system, .test, .plugin].contains(target.type) {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [.unsafeFlags(["-enable-testing"], .when(configuration: .release))]
    }
}

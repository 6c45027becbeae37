import Foundation
import RoostBenchmarks
import Testing

@testable import RoostDocuments

/// A test with annotated web pages, which runs if ROOST_EVAL is set.
@Suite struct HTMLQualityTests {
    private static let folder = ProcessInfo.processInfo.environment["ROOST_EVAL"]
        .map { URL(fileURLWithPath: $0).appendingPathComponent("documents/wcxb-dev") }
        .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }

    /// Every fifth page is read. The trees were trained with these pages, so the test finds changes that
    /// spoil the features or the selection; `Benchmarks/Peers/webpage_blocks.py` measures unseen pages.
    @Test(.enabled(if: folder != nil), .timeLimit(.minutes(10)))
    func `The main contents of annotated pages are found`() async throws {
        let folder = try #require(Self.folder)
        let pages = try AnnotatedWebPage.pages(in: folder)
        var measures: [Double] = []
        for page in stride(from: 0, to: pages.count, by: 5).map({ pages[$0] }) {
            let parsed = HTMLPage(try page.html(in: folder))
            let text = HTMLMarkdown.text(of: MainContent(of: parsed).blocks, in: parsed)
            measures.append(page.agreement(with: text))
        }
        let mean = measures.reduce(0, +) / Double(max(1, measures.count))
        #expect(mean > 0.79, "\(mean)")
    }
}

import Foundation
import Testing

@testable import RoostDocuments

/// Tests of pages with unknown and obsolete elements.
@Suite struct PageSyntaxTests {
    private static func text(_ body: String) -> String {
        let page = HTMLPage(Data("<html><body>\(body)</body></html>".utf8))
        return HTMLMarkdown.text(of: page.blocks, in: page)
    }

    @Test(arguments: [
        ("<p>Seen <relative-time>2 days</relative-time> ago</p>", "Seen 2 days ago"),
        ("<p>In <st1:City w:st='on'>London</st1:City>.<o:p></o:p></p>", "In London."),
        ("<x-line>One</x-line><x-line>Two</x-line>", "One\n\nTwo"),
        ("One <x-card><p>Two</p></x-card> three", "One\n\nTwo\n\nthree"),
    ])
    func `Elements that a page defines are parts of a line or blocks`(
        body: String, text: String
    ) {
        #expect(Self.text(body) == text)
    }

    @Test(arguments: ["listing", "xmp", "plaintext"])
    func `Obsolete elements for preformatted text are code`(name: String) {
        #expect(Self.text("<p>a</p><\(name)>b\n  c</\(name)>").hasPrefix("a\n\n```\nb\n  c"))
    }
}

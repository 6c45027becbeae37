import RoostDocuments
import Testing

/// Tests of the resolution of links by the rules of Obsidian.
@Suite struct LinkResolverTests {
    private static let notes: [LinkResolver.Note] = [
        .init(path: "/vault/Index.md", aliases: ["Start page"]),
        .init(path: "/vault/garden/Soil.md", aliases: ["Erde"]), .init(path: "/vault/garden/Index.md"),
        .init(path: "/vault/kitchen/Bread.md", aliases: ["Sourdough", "Soil"]),
        .init(path: "/vault/kitchen/notes/Yeast.md"), .init(path: "/vault/a/b/Note.md"),
        .init(path: "/vault/zzzz/Note.md"), .init(path: "/vault/zzzz/deep/Source.md"),
        .init(path: "/vault/Über uns.md"), .init(path: "/vault/boards/Plan.canvas"),
        .init(path: "/vault/boards/Plan.md"), .init(path: "/vault/v1.2 release.md"),
    ]

    private func resolve(
        _ target: String, _ kind: DocumentLink.Kind = .wiki, from source: String = "/vault/garden/Soil.md"
    ) -> String? {
        let resolver = LinkResolver(notes: Self.notes, root: "/vault")
        return resolver.resolve(DocumentLink(kind: kind, target: target), from: source)
            .map { String(Self.notes[$0].path.dropFirst("/vault/".count)) }
    }

    @Test(arguments: [
        ("Soil", "garden/Soil.md"), ("soil", "garden/Soil.md"), ("SOIL.md", "garden/Soil.md"),
        ("garden/Soil", "garden/Soil.md"), ("Garden/soil.MD", "garden/Soil.md"),
        ("/kitchen/Bread", "kitchen/Bread.md"), ("notes/Yeast", "kitchen/notes/Yeast.md"),
        ("kitchen/notes/Yeast", "kitchen/notes/Yeast.md"), ("./Index", "garden/Index.md"),
        ("../kitchen/Bread", "kitchen/Bread.md"), ("Über uns", "Über uns.md"),
        ("u\u{308}ber uns", "Über uns.md"), ("Plan", "boards/Plan.md"), ("Plan.canvas", "boards/Plan.canvas"),
        ("v1.2 release", "v1.2 release.md"), ("Start page", "Index.md"), ("erde", "garden/Soil.md"),
        ("", "garden/Soil.md"), (" Soil ", "garden/Soil.md"),
    ])
    func `A wiki link finds a note by its name, path or alias`(target: String, path: String) {
        #expect(resolve(target) == path)
    }

    @Test(arguments: [
        "Missing", "kitchen/Soil", "./Bread", "../Soil", "/Soil", "oil", "den/Soil", "../../../Index",
        "Soil.txt",
    ])
    func `A name that no note has is not resolved`(target: String) {
        #expect(resolve(target) == nil)
    }

    @Test func `The complete path precedes the own folder, and this precedes the shortest path`() {
        #expect(resolve("Index") == "Index.md")
        #expect(resolve("garden/Index") == "garden/Index.md")
        #expect(resolve("Note", from: "/vault/zzzz/Other.md") == "zzzz/Note.md")
        #expect(resolve("Note", from: "/vault/a/b/Other.md") == "a/b/Note.md")
        // The folder above counts for nothing, and `a/b/Note.md` is shorter than `zzzz/Note.md`.
        #expect(resolve("Note", from: "/vault/zzzz/deep/Source.md") == "a/b/Note.md")
    }

    @Test func `A file name precedes an alias`() {
        #expect(resolve("Soil", from: "/vault/kitchen/Bread.md") == "garden/Soil.md")
    }

    @Test(arguments: [
        ("Index.md", "garden/Index.md"), ("../kitchen/Bread.md", "kitchen/Bread.md"),
        ("../%C3%9Cber%20uns.md", "Über uns.md"), ("../v1.2%20release.md", "v1.2 release.md"),
        ("kitchen/Bread.md", "kitchen/Bread.md"), ("Bread", "kitchen/Bread.md"),
        ("./Index.md", "garden/Index.md"), ("/Index.md", "Index.md"),
    ])
    func `A Markdown link is relative to the folder of its note`(target: String, path: String) {
        #expect(resolve(target, .address) == path)
    }

    @Test(arguments: [
        "https://example.org/Soil.md", "mailto:soil@example.org", "//example.org/Soil", "image.png",
    ])
    func `An external address is not resolved`(target: String) {
        #expect(resolve(target, .address) == nil)
    }

    @Test func `The root is by default the folder that contains all notes`() {
        let notes = [
            LinkResolver.Note(path: "/home/vault/A.md"), LinkResolver.Note(path: "/home/vault/b/A.md"),
            LinkResolver.Note(path: "/home/vault/b/C.md"),
        ]
        let resolver = LinkResolver(notes: notes)
        let link = DocumentLink(kind: .wiki, target: "/A")
        #expect(resolver.resolve(link, from: "/home/vault/b/C.md") == 0)
        #expect(resolver.resolve(DocumentLink(kind: .wiki, target: "A"), from: "/home/vault/b/C.md") == 0)
        #expect(resolver.resolve(DocumentLink(kind: .wiki, target: "./A"), from: "/home/vault/b/C.md") == 1)
        #expect(LinkResolver(notes: []).resolve(link, from: "x.md") == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `Links to one of many notes with equal names are resolved quickly`() {
        // Comparing all notes with the name of a link would take many minutes.
        let notes = (0..<30_000).map {
            LinkResolver.Note(path: "/vault/\($0)/docs/index.md", aliases: ["Home"])
        }
        let resolver = LinkResolver(notes: notes)
        for number in stride(from: 0, to: notes.count, by: 10) {
            let own = ["index", "docs/index", "\(number)/docs/index", "Home"]
            for target in own {
                let link = DocumentLink(kind: .wiki, target: target)
                #expect(resolver.resolve(link, from: "/vault/\(number)/docs/other.md") == number)
                let isPath = target.hasPrefix("\(number)")
                #expect(resolver.resolve(link, from: "/vault/other.md") == (isPath ? number : 0))
            }
        }
    }

    @Test func `Links know external addresses and attachments`() {
        #expect(DocumentLink(kind: .address, target: "https://example.org").isExternal)
        #expect(DocumentLink(kind: .address, target: "obsidian://open?vault=x").isExternal)
        #expect(!DocumentLink(kind: .address, target: "a/b.md").isExternal)
        #expect(!DocumentLink(kind: .wiki, target: "Topic: a").isExternal)
        #expect(DocumentLink(kind: .embed, target: "a/Photo.JPG").namesAttachment)
        #expect(!DocumentLink(kind: .wiki, target: "v1.2 release").namesAttachment)
    }
}

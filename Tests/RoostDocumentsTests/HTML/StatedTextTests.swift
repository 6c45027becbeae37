import Foundation
import Testing

@testable import RoostDocuments

/// Tests of the texts that a page states in JSON-LD and microdata.
@Suite struct StatedTextTests {
    private static let recipe = """
        {"@context": "https://schema.org", "@graph": [{"@type": "Recipe", "name": "Soup",
        "recipeIngredient": ["2 leeks", "1 litre of <b>rain</b> water", "salt &amp; pepper"],
        "recipeInstructions": [{"@type": "HowToSection", "itemListElement": [
        {"@type": "HowToStep", "text": "Cut the leeks into rings."},
        {"@type": "HowToStep", "text": "Boil them in the water for an hour."}]}]}]}
        """

    private static func page(_ json: String, _ body: String) -> String {
        "<html><head><title>Soup</title><script type=\"application/ld+json\">\(json)</script></head><body>"
            + "\(body)</body></html>"
    }

    /// A menu and a text, so that only a part of the page is content.
    private static func body(_ contents: String) -> String {
        let menu = (1...8).map { "<li><a href=\"/\($0)\">Menu item \($0)</a></li>" }.joined()
        let text = "It rained on the garden all week, so we had more than enough water for a large soup. "
        let paragraphs = String(repeating: "<p>\(text)\(text)</p>", count: 3)
        return "<nav><ul>\(menu)</ul></nav><main><h1>Soup</h1>\(paragraphs)</main>\(contents)"
            + "<footer><p>About us</p></footer>"
    }

    @Test func `A recipe that a script shows is read from JSON-LD`() async throws {
        let text = try await HTMLReaderTests.read(Self.page(Self.recipe, Self.body(""))).text
        #expect(
            text.hasSuffix(
                "\n\n- 2 leeks\n- 1 litre of rain water\n- salt & pepper\n\n1. Cut the leeks into rings.\n"
                    + "2. Boil them in the water for an hour."))
        #expect(text.contains("It rained on the garden"))
        let only = try await HTMLReaderTests.read(Self.page(Self.recipe, "<p>Loading</p>")).text
        #expect(only.hasPrefix("Loading\n\n- 2 leeks\n"))
    }

    @Test func `Ingredients and steps of a recipe are content, once`() async throws {
        let list =
            "<aside class=\"sidebar\"><ul><li>2 leeks</li><li>1 litre of rain water</li>"
            + "<li>salt and pepper</li></ul><div><a href=\"/print\">Print</a></div>"
            + "<div>Cut the leeks into rings.</div>"
            + "<div>Boil them in the water, for an hour.</div><div>2 leeks</div></aside>"
        let text = try await HTMLReaderTests.read(Self.page(Self.recipe, Self.body(list))).text
        #expect(text.components(separatedBy: "2 leeks").count == 2)
        #expect(text.components(separatedBy: "Cut the leeks").count == 2)
        #expect(text.contains("1 litre of rain water") && text.contains("Boil them in the water, for"))
        #expect(!text.contains("Menu item") && !text.contains("About us"))
        let property =
            "<aside class=\"sidebar\"><ul><li itemprop=\"recipeIngredient\">3 onions</li></ul></aside>"
        #expect(try await HTMLReaderTests.read(Self.body(property)).text.contains("3 onions"))
    }

    @Test func `Collapsed answers are content if they are stated`() async throws {
        let json = """
            {"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": "Can I use snow?",
            "acceptedAnswer": {"@type": "Answer", "text": "<p>Yes, if you melt it.</p>"}},
            {"@type": "Question", "name": "Soup"}]}
            """
        let list =
            "<div class=\"sidebar\"><button>Can I use snow?</button><div>Yes, if you melt it.</div>"
            + "<button>Subscribe</button><p>Soup</p></div>"
        let text = try await HTMLReaderTests.read(Self.page(json, Self.body(list))).text
        #expect(text.contains("Can I use snow?") && text.contains("Yes, if you melt it."))
        // The title is not part of the text.
        #expect(!text.contains("Subscribe") && text.components(separatedBy: "Soup").count <= 2)
    }

    @Test func `Words are compared in groups`() throws {
        var stated = StatedText()
        #expect(stated.isEmpty && !stated.contains(""))
        let text = "One two three four five six seven. Eight\nNine ten eleven"
        stated.read(["articleBody": text], types: ["newsarticle"])
        #expect(stated.contains("TWO three & four five six seven!") && stated.contains("nine ten eleven"))
        #expect(!stated.contains("two four three five six seven") && !stated.contains("One two three"))
        stated.read(["step": ["@type": "HowToStep", "name": "Dig."]], types: ["howto"])
        #expect(stated.contains("dig") && stated.steps == ["Dig."])
        #expect(stated.recipe(missingIn: "Rain") == "1. Dig.")
        var nested: Any = "Dig."
        for _ in 0..<1000 { nested = ["itemListElement": nested] }
        stated.read(["articleBody": nested], types: [])
    }
}

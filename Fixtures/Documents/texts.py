"""The texts of the generated documents."""

CHAPTERS = [
    ("Water in the garden", [
        "A barrel under the gutter collects about two hundred litres in one hour of heavy rain. In a dry "
        "summer this is enough for ten tomato plants during a week, if they are watered in the morning.",
        "The lid keeps mosquitoes away, and it also keeps the water dark, so that algae hardly grow. A barrel "
        "without a lid must be cleaned every month.",
    ]),
    ("Soil and mulch", [
        "Mulch of dry grass reduces the loss of water by half. A layer of five centimetres is sufficient; a "
        "thicker one keeps the soil cold in spring.",
        "Sandy soil needs more compost than clay. Compost that is two years old contains fewer seeds of weeds "
        "and smells of forest.",
    ]),
    ("Planning a well-known bed", [
        "The north-south direction gives each row the same light. Beans follow potatoes, cabbage follows beans, "
        "and nothing follows cabbage before the bed has rested for one winter.",
        "Write down what grew where. After three years the notes are worth more than any book about gardens, "
        "because they describe your own soil.",
    ]),
]

PARAGRAPHS = [paragraph for _, paragraphs in CHAPTERS for paragraph in paragraphs]

COLUMNS = ["Barrel", "Litres", "Colour"]
ROWS = [["North", 200, "green"], ["South", 310, "blue"], ["Shed", 120, "black | grey"]]

HEBREW = [
    "גינה בקיץ יבש",
    "חבית מתחת למרזב אוספת כמאתיים ליטר בשעה של גשם חזק.",
    "המכסה מרחיק יתושים ושומר על המים בחושך.",
]

JAPANESE = [
    "庭の水",
    "雨どいの下の樽は、強い雨の一時間で約二百リットルの水を集める。",
    "ふたは蚊を遠ざけ、水を暗く保つ。",
]

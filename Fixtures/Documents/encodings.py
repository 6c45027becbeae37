"""Writes one text in each of several languages and encodings, without any statement of the encoding.

Usage: encodings.py FOLDER

The name of a file is `encoding-LANGUAGE-ENCODING.txt`; `encoding-LANGUAGE.txt` has the same text in UTF-8.
"""

import sys
from pathlib import Path

folder = Path(sys.argv[1])

TEXTS = {
    "pl": (["iso8859-2", "windows-1250"], """Beczka pod rynną zbiera w ciągu godziny około dwustu litrów wody.
W suche lato wystarczy to dla dziesięciu krzaków pomidorów na tydzień, jeśli podlewamy je rano. Pokrywa chroni przed
komarami i sprawia, że woda pozostaje ciemna, więc glony prawie nie rosną. Beczkę bez pokrywy trzeba czyścić co miesiąc.
Ściółka z suchej trawy zmniejsza utratę wody o połowę, ale zbyt gruba warstwa utrzymuje wiosną zimną ziemię.
Piaszczysta gleba potrzebuje więcej kompostu niż glina. Źle zaplanowane grządki męczą ogrodnika, dlatego zapisuj, co
gdzie rosło."""),
    "cs": (["iso8859-2", "windows-1250"], """Sud pod okapem nasbírá za hodinu silného deště asi dvě stě litrů vody.
V suchém létě to stačí pro deset keřů rajčat na týden, pokud je zaléváme ráno. Víko chrání před komáry a udržuje vodu ve
tmě, takže řasy téměř nerostou. Sud bez víka je třeba čistit každý měsíc. Mulč ze suché trávy snižuje ztrátu vody o
polovinu, příliš silná vrstva však na jaře drží půdu studenou. Písčitá půda potřebuje více kompostu než jíl. Zapisuj si,
co kde rostlo, protože po třech letech mají poznámky větší cenu než kniha."""),
    "hu": (["iso8859-2", "windows-1250"], """Az eresz alatti hordó egy óra erős esőben körülbelül kétszáz liter vizet
gyűjt. Száraz nyáron ez tíz paradicsomtőnek egy hétre elegendő, ha reggel öntözzük őket. A fedél távol tartja a
szúnyogokat, és sötétben tartja a vizet, így az algák alig nőnek. A fedél nélküli hordót havonta ki kell tisztítani. A
száraz fűből készült takarás felére csökkenti a vízveszteséget, de a túl vastag réteg tavasszal hidegen tartja a földet.
A homokos talajnak több komposztra van szüksége, mint az agyagnak. Írd fel, hogy mi hol nőtt."""),
    "tr": (["iso8859-9"], """Oluğun altındaki fıçı, şiddetli yağmurda bir saatte yaklaşık iki yüz litre su toplar. Kuru
bir yazda, sabahları sulanırsa bu miktar on domates fidesine bir hafta yeter. Kapak sivrisinekleri uzak tutar ve suyu
karanlıkta bırakır, böylece yosunlar neredeyse hiç büyümez. Kapaksız bir fıçı her ay temizlenmelidir. Kuru ottan yapılan
malç su kaybını yarıya indirir, ama çok kalın bir katman ilkbaharda toprağı soğuk tutar. Kumlu toprak kilden daha fazla
gübre ister. Neyin nerede yetiştiğini yazın, çünkü üç yıl sonra bu notlar bir kitaptan değerlidir."""),
    "ru": (["windows-1251", "koi8-r", "iso8859-5", "cp866"], """Бочка под водостоком собирает за час сильного дождя около
двухсот литров воды. Сухим летом этого хватает десяти кустам помидоров на неделю, если поливать их утром. Крышка защищает
от комаров и сохраняет воду тёмной, поэтому водоросли почти не растут. Бочку без крышки нужно чистить каждый месяц.
Мульча из сухой травы вдвое уменьшает потерю воды, но слишком толстый слой весной удерживает холод. Песчаной почве нужно
больше компоста, чем глине. Записывайте, что и где росло: через три года эти заметки станут ценнее любой книги."""),
    "uk": (["windows-1251", "koi8-u"], """Бочка під ринвою збирає за годину сильного дощу близько двохсот літрів води.
Сухого літа цього вистачає десяти кущам помідорів на тиждень, якщо поливати їх уранці. Кришка захищає від комарів і
зберігає воду темною, тому водорості майже не ростуть. Бочку без кришки треба чистити щомісяця. Мульча із сухої трави
вдвічі зменшує втрату води, але надто товстий шар навесні тримає землю холодною. Піщаний ґрунт потребує більше компосту,
ніж глина. Записуйте, що і де росло, бо ваші нотатки цінніші за книжку."""),
    "el": (["iso8859-7", "windows-1253"], """Το βαρέλι κάτω από την υδρορροή μαζεύει σε μία ώρα δυνατής βροχής περίπου
διακόσια λίτρα νερό. Σε ένα ξηρό καλοκαίρι αυτό αρκεί για δέκα ντοματιές μία εβδομάδα, αν ποτίζονται το πρωί. Το καπάκι
κρατά μακριά τα κουνούπια και διατηρεί το νερό σκοτεινό, ώστε τα φύκια σχεδόν δεν μεγαλώνουν. Ένα βαρέλι χωρίς καπάκι
πρέπει να καθαρίζεται κάθε μήνα. Το αμμώδες έδαφος χρειάζεται περισσότερο κομπόστ από τον πηλό."""),
    "ja": (["cp932", "euc-jp"], """雨どいの下の樽は、強い雨の一時間で約二百リットルの水を集めます。乾いた夏でも、朝に水をやれば、
トマト十株が一週間育つ量です。ふたは蚊を防ぎ、水を暗く保つので、藻はほとんど生えません。ふたのない樽は毎月掃除しなければなりません。
乾いた草のマルチは水の損失を半分に減らしますが、厚すぎる層は春に土を冷たく保ちます。砂の多い土は粘土より多くの堆肥を必要とします。
どこに何を植えたかを書いておきましょう。三年後、その記録はどの園芸書よりも役に立ちます。"""),
    "zh-Hans": (["gb18030"], """屋檐下的水桶在一小时的大雨中可以收集大约两百升水。在干燥的夏天，如果早晨浇水，这些水足够十株西红柿用一个星期。
盖子可以防止蚊子，也使水保持黑暗，所以水藻几乎不会生长。没有盖子的水桶每个月都要清洗一次。干草覆盖可以把水分损失减少一半，但是太厚的一层会使土壤
在春天保持寒冷。沙质土壤比黏土需要更多的堆肥。请写下在哪里种了什么，三年以后，这些笔记比任何园艺书都更有价值。"""),
    "zh-Hant": (["big5"], """屋簷下的水桶在一小時的大雨中可以收集大約兩百公升的水。在乾燥的夏天，如果早晨澆水，這些水足夠十株番茄用一個星期。
蓋子可以防止蚊子，也使水保持黑暗，所以水藻幾乎不會生長。沒有蓋子的水桶每個月都要清洗一次。乾草覆蓋可以把水分損失減少一半，但是太厚的一層會使土壤
在春天保持寒冷。沙質土壤比黏土需要更多的堆肥。請寫下在哪裡種了什麼，三年以後，這些筆記比任何園藝書都更有價值。"""),
    "ko": (["euc-kr", "cp949"], """처마 밑의 물통은 세찬 비가 한 시간 내리면 약 이백 리터의 물을 모읍니다. 건조한 여름에도 아침에
물을 주면 토마토 열 포기가 일주일 동안 자라기에 충분합니다. 뚜껑은 모기를 막고 물을 어둡게 유지하므로 이끼가 거의 자라지 않습니다. 뚜껑이 없는 물통은
매달 청소해야 합니다. 마른 풀로 만든 덮개는 물의 손실을 절반으로 줄이지만, 너무 두꺼운 층은 봄에 흙을 차갑게 합니다. 무엇을 어디에 심었는지 적어
두십시오."""),
    "de": (["windows-1252"], """Ein Fass unter der Dachrinne sammelt in einer Stunde kräftigen Regens ungefähr
zweihundert Liter. In einem trockenen Sommer genügt das für zehn Tomaten während einer Woche, wenn man sie früh gießt. Der
Deckel hält Mücken fern und das Wasser dunkel, sodass Algen kaum wachsen. Ein Fass ohne Deckel muss jeden Monat gereinigt
werden. Mulch aus trockenem Gras verringert den Verlust um die Hälfte; eine zu dicke Schicht hält den Boden im Frühjahr
kalt. Schreib auf, was wo wuchs: „Nach drei Jahren“ sind die Notizen mehr wert als jedes Buch."""),
    "fr": (["windows-1252"], """Un tonneau sous la gouttière recueille environ deux cents litres en une heure de forte
pluie. Pendant un été sec, cela suffit à dix pieds de tomates pour une semaine, si on les arrose le matin. Le couvercle
éloigne les moustiques et garde l'eau à l'abri de la lumière : les algues n'y poussent guère. Un tonneau sans couvercle
doit être nettoyé chaque mois. Le paillis d'herbe sèche réduit de moitié la perte d'eau, mais une couche trop épaisse
garde le sol froid au printemps. Notez ce qui a poussé où, car « après trois ans » ces notes vaudront un livre."""),
    "es": (["windows-1252"], """Un barril bajo el canalón recoge unos doscientos litros en una hora de lluvia intensa. En
un verano seco, eso basta para diez tomateras durante una semana, si se riegan por la mañana. La tapa aleja los mosquitos
y mantiene el agua oscura, así que las algas apenas crecen. ¿Y sin tapa? Entonces hay que limpiarlo cada mes. El acolchado
de hierba seca reduce a la mitad la pérdida de agua, pero una capa demasiado gruesa mantiene frío el suelo en primavera.
Anota qué creció y dónde: después de tres años valdrá más que un libro."""),
    "nl": (["windows-1252"], """Een ton onder de goot vangt in een uur zware regen ongeveer tweehonderd liter op. In een
droge zomer is dat genoeg voor tien tomatenplanten gedurende één week, als ze ’s ochtends water krijgen. Het deksel houdt
muggen weg en het water donker, zodat algen nauwelijks groeien. Een ton zonder deksel moet elke maand worden
schoongemaakt. Schrijf ideeën op over wat waar groeide: na drie jaar zijn de gecoördineerde notities meer waard dan een
boek, omdat ze over de eigen grond gaan."""),
}

for language, (encodings, text) in TEXTS.items():
    text = text.replace("\n", "" if language in ("ja", "zh-Hans", "zh-Hant") else " ")
    (folder / f"encoding-{language}.txt").write_text(text + "\n", encoding="utf-8")
    for encoding in encodings:
        data = (text + "\n").encode(encoding)
        (folder / f"encoding-{language}-{encoding}.txt").write_bytes(data)

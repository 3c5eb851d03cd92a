// Writes the tokens of each line of a file, parted by tabs, by Lucene's EnglishAnalyzer; without a file it prints a hash of how
// StandardTokenizer cuts every code point in fourteen surroundings, first of common blocks alone, then of all.
//
//   java -cp 'lucene-core.jar:lucene-analyzers-common.jar' LuceneTokens.java nasty.txt nasty.tokens
//   java -cp 'lucene-core.jar:lucene-analyzers-common.jar' LuceneTokens.java
import java.io.*;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.MessageDigest;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

public class LuceneTokens {
    static String[] frames = {
        "%s", "a%sb", "1%s2", "\u05d0%s\u05d0", "\u30ab%s\u30ab", "\u0e01%s\u0e01", "\ud83d\ude00%s\ud83d\ude00",
        "\u200d%s\u200d\ud83d\udc68", "%s\ud83c\udffb", "%s\u20e3", "%s%s_%s", "\ud83c\udde6%s\ud83c\udde7",
        "%s\udb40\udc61\udb40\udc7f", "\u6f22%s\u3042%s\u6f22"
    };

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            System.out.println(codePoints(true) + "\n" + codePoints(false));
            return;
        }
        EnglishAnalyzer analyzer = new EnglishAnalyzer();
        PrintStream out = new PrintStream(new FileOutputStream(args[1]), false, "UTF-8");
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            StringBuilder b = new StringBuilder();
            try (TokenStream s = analyzer.tokenStream("text", line)) {
                CharTermAttribute term = s.addAttribute(CharTermAttribute.class);
                s.reset();
                while (s.incrementToken()) b.append(b.length() == 0 ? "" : "\t").append(term);
                s.end();
            }
            out.println(b);
        }
        out.close();
    }

    static String codePoints(boolean common) throws Exception {
        MessageDigest hash = MessageDigest.getInstance("SHA-256");
        StandardTokenizer t = new StandardTokenizer();
        CharTermAttribute term = t.addAttribute(CharTermAttribute.class);
        for (int c = 0; c <= 0x10FFFF; c++) {
            if (c >= 0xD800 && c <= 0xDFFF || c >= 0x30000 && c < 0xE0000 || c >= 0xE1000) continue;
            if (common && c >= 0x1000 && (c < 0x1F000 || c >= 0x20000)) continue;
            for (String f : frames) {
                t.setReader(new StringReader(f.replace("%s", new String(Character.toChars(c)))));
                t.reset();
                StringBuilder line = new StringBuilder(Integer.toHexString(c));
                while (t.incrementToken()) line.append(" ").append(term.length());
                t.end();
                t.close();
                hash.update(line.append("\n").toString().getBytes(StandardCharsets.UTF_8));
            }
        }
        return String.format("%064x", new BigInteger(1, hash.digest()));
    }
}

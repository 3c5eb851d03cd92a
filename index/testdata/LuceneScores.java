// Ranks the lines of a file for the lines of another by Lucene's BM25 and EnglishAnalyzer, as Anserini asks: every different term
// of the query once, boosted by how often it occurs. Prints query, document (both from 0) and score.
//
//   java -cp 'lucene jars' LuceneScores.java DOCUMENTS QUERIES K1 B K > scores
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

public class LuceneScores {
    public static void main(String[] args) throws Exception {
        EnglishAnalyzer analyzer = new EnglishAnalyzer();
        BM25Similarity similarity = new BM25Similarity(Float.parseFloat(args[2]), Float.parseFloat(args[3]));
        ByteBuffersDirectory store = new ByteBuffersDirectory();
        try (IndexWriter writer = new IndexWriter(store, new IndexWriterConfig(analyzer).setSimilarity(similarity))) {
            for (String line : Files.readAllLines(Path.of(args[0]))) {
                Document d = new Document();
                d.add(new TextField("text", line, Field.Store.NO));
                writer.addDocument(d);
            }
            writer.forceMerge(1);
        }
        BooleanQuery.setMaxClauseCount(100000);
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(store));
        searcher.setSimilarity(similarity);
        int n = 0;
        for (String text : Files.readAllLines(Path.of(args[1]))) {
            Map<String, Integer> counts = new LinkedHashMap<>();
            try (TokenStream s = analyzer.tokenStream("text", text)) {
                CharTermAttribute term = s.addAttribute(CharTermAttribute.class);
                s.reset();
                while (s.incrementToken()) counts.merge(term.toString(), 1, Integer::sum);
                s.end();
            }
            BooleanQuery.Builder query = new BooleanQuery.Builder();
            counts.forEach((t, c) -> query.add(new BoostQuery(new TermQuery(new Term("text", t)), (float) c), BooleanClause.Occur.SHOULD));
            for (ScoreDoc hit : searcher.search(query.build(), Integer.parseInt(args[4])).scoreDocs) {
                System.out.println(n + " " + hit.doc + " " + hit.score);
            }
            n++;
        }
    }
}

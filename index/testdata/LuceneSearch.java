// Indexes the lines of a file with Lucene and prints passages per second and the
// median latency of the top 100 in microseconds, for make bench-index.
//
//   java -cp 'lucene jars' LuceneSearch.java PASSAGES QUERIES
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.MMapDirectory;

public class LuceneSearch {
    public static void main(String[] args) throws Exception {
        EnglishAnalyzer analyzer = new EnglishAnalyzer();
        Path dir = Files.createTempDirectory(Path.of(args[0]).getParent(), "lucene");
        MMapDirectory store = new MMapDirectory(dir);
        long start = System.nanoTime();
        int n = 0;
        IndexWriterConfig config = new IndexWriterConfig(analyzer).setSimilarity(new BM25Similarity(1.2f, 0.75f)).setRAMBufferSizeMB(256);
        try (IndexWriter writer = new IndexWriter(store, config); var lines = Files.lines(Path.of(args[0]))) {
            for (Iterator<String> it = lines.iterator(); it.hasNext(); n++) {
                Document d = new Document();
                d.add(new TextField("text", it.next(), Field.Store.NO));
                d.add(new StoredField("id", n));
                writer.addDocument(d);
            }
            writer.forceMerge(1);
        }
        double rate = n / ((System.nanoTime() - start) / 1e9);
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(store));
        searcher.setSimilarity(new BM25Similarity(1.2f, 0.75f));
        BooleanQuery.setMaxClauseCount(100000);
        List<String> queries = Files.readAllLines(Path.of(args[1]));
        List<Long> times = new ArrayList<>();
        for (int pass = 0; pass < 3; pass++) {
            for (String q : queries) {
                long t = System.nanoTime();
                Query query = new QueryParser("text", analyzer).parse(QueryParser.escape(q));
                TopDocs top = searcher.search(query, 100);
                for (ScoreDoc hit : top.scoreDocs) searcher.doc(hit.doc).get("id");
                if (pass == 2) times.add((System.nanoTime() - t) / 1000);
                if (top.scoreDocs.length == 0) throw new IllegalStateException("nothing found for " + q);
            }
        }
        Collections.sort(times);
        System.out.println((long) rate + " " + times.get(times.size() / 2));
    }
}

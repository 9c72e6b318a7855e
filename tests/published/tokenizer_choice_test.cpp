// Text encoders of published form with the tokenizers that lie in users' folders.

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "plugin/text/model_files.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/published/published_tokenizers.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <memory>

namespace tokenizer_choice_test {

using namespace lowtide;

namespace {

constexpr const char* kUmt5 = "models_t5_umt5-xxl-enc-bf16.safetensors";
constexpr const char* kT5 = "t5xxl_fp8_e4m3fn_scaled.safetensors";
constexpr const char* kLlama = "llama_3.1_8b_instruct_fp8_scaled.safetensors";
constexpr const char* kQwen = "qwen_3_4b.safetensors";

/// What stands in a tokenizer.json of Llama 3: its size, the tokens that are asked for and the one
/// that begins each text, but words of digits in place of its own, which are not published here.
Json llamaJson() {
    constexpr int kWords = 128000;
    constexpr int kTokens = 128256;
    Json vocabulary = Json::object();
    for (const std::string& byte : models::byteAlphabet()) {
        vocabulary[byte] = vocabulary.size();
    }
    while (vocabulary.size() < kWords) {
        vocabulary["word" + std::to_string(vocabulary.size())] = vocabulary.size();
    }
    Json added = Json::array();
    for (int id = kWords; id < kTokens; ++id) {
        const std::string content = id == kWords       ? "<|begin_of_text|>"
                                    : id == kWords + 9 ? "<|eot_id|>"
                                                       : "<|reserved_" + std::to_string(id) + "|>";
        added.push_back({{"id", id}, {"content", content}, {"normalized", false}});
    }
    const Json begins = {
        {"type", "TemplateProcessing"},
        {"single",
         {{{"SpecialToken", {{"id", "<|begin_of_text|>"}, {"type_id", 0}}}},
          {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
        {"special_tokens",
         {{"<|begin_of_text|>", {{"id", "<|begin_of_text|>"}, {"ids", {kWords}}}}}}};
    return {{"added_tokens", added},
            {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
            {"post_processor", begins},
            {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", Json::array()}}}};
}

}  // namespace

class TokenizerChoiceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        published_ = testing::publishedFolder();
        tokenizers_ = testing::publishedTokenizers();
    }

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    /// One folder with four encoders, and a tokenizer of each where another one's is looked for
    /// first.
    void eachEncoderTakesItsOwn_data() {
        QTest::addColumn<QStringList>("positions");  // tokenizer, folder
        QTest::newRow("each in a folder of its own") << QStringList{"t5_pieces",
                                                                    "tokenizer_3",
                                                                    "umt5_pieces",
                                                                    "tokenizer",
                                                                    "llama",
                                                                    "tokenizer_4",
                                                                    "qwen3_json",
                                                                    "tokenizer_2"};
        QTest::newRow("each in another's folder") << QStringList{"t5_flux",
                                                                 "tokenizer",
                                                                 "umt5_diffusers",
                                                                 "tokenizer_3",
                                                                 "llama",
                                                                 "tokenizer_2",
                                                                 "qwen3_pair",
                                                                 "tokenizer_4"};
        QTest::newRow("as ComfyUI and WAN call them") << QStringList{"t5_schnell",
                                                                     "t5_tokenizer",
                                                                     "umt5_original",
                                                                     "google/umt5-xxl",
                                                                     "llama",
                                                                     "llama_tokenizer",
                                                                     "qwen25_pair",
                                                                     "qwen25_tokenizer"};
        QTest::newRow("pieces and byte pairs next to the weights") << QStringList{"umt5_pieces",
                                                                                  "",
                                                                                  "llama",
                                                                                  "",
                                                                                  "t5_pieces_alone",
                                                                                  "tokenizer",
                                                                                  "qwen3_pair",
                                                                                  "tokenizer_4"};
    }

    void eachEncoderTakesItsOwn() {
        QFETCH(QStringList, positions);
        std::map<std::string, QString> fullPathOf;
        for (qsizetype i = 0; i < positions.size(); i += 2) {
            location(positions[i], positions[i + 1]);
            const std::string name = positions[i].toStdString();
            fullPathOf[name.substr(0, name.find_first_of("_23"))] = path(positions[i + 1]);
        }
        const models::T5Text umt5(*encoder(kUmt5), "tokenizer", "text_encoder");
        const models::T5Text t5(*encoder(kT5), "tokenizer", "text_encoder");
        compareFolder(umt5.tokenizer().file(), fullPathOf.at("umt5"));
        compareFolder(t5.tokenizer().file(), fullPathOf.at("t5"));
        QVERIFY(models::fitsRows(umt5.tokenizer().vocabularySize(), 256384));
        QVERIFY(models::fitsRows(t5.tokenizer().vocabularySize(), 32128));
        const auto llama = encoder(kLlama);
        const auto qwen = encoder(kQwen);
        const models::LanguageText opened(*llama, "tokenizer", "text_encoder", "eos_token");
        const models::LanguageText other(*qwen, "tokenizer", "text_encoder", "pad_token");
        const auto fileOf = [](models::Checkpoint& checkpoint) {
            return checkpoint.pathOf(checkpoint.has("tokenizer/tokenizer.json")
                                         ? "tokenizer/tokenizer.json"
                                         : "tokenizer/vocab.json");
        };
        compareFolder(fileOf(*llama), fullPathOf.at("llama"));
        compareFolder(fileOf(*qwen), fullPathOf.at("qwen"));
    }

    /// Qwen's words without any settings: what ends a text is known of every Qwen.
    void readsQwensWordsAlone() {
        for (const char* file : {"vocab.json", "merges.txt"}) {
            copyFile(tokenizers_ + "/qwen3_pair/tokenizer/" + file, path("tokenizer/") + file);
        }
        const models::LanguageText text(*encoder(kQwen), "tokenizer", "text_encoder", "pad_token");
        const auto prompt = text.tokenize("<|im_start|>cat<|im_end|>", 5, "prompt");
        QCOMPARE(prompt.ids, (std::vector<int64_t>{151644, 4616, 151645, 151643, 151643}));
    }

    void takesTheBuiltInOne_data() {
        const testing::Rows<QString, QStringList, QString, int64_t> add(
            "encoder", "positioned", "folder", "tokens");
        add("UMT5 alone", kUmt5, {}, "umt5", 256300);
        add("T5 alone", kT5, {}, "t5", 32100);
        add("T5 in f16 alone", "t5xxl_fp16.safetensors", {}, "t5", 32100);
        add("Qwen alone", kQwen, {}, "qwen", 151669);
        add("UMT5 next to T5's", kUmt5, {"t5_pieces", "tokenizer_3"}, "umt5", 256300);
        add("UMT5 next to T5's in both forms",
            kUmt5,
            {"t5_pieces", "tokenizer", "t5_flux", "tokenizer_3"},
            "umt5",
            256300);
        add("T5 next to UMT5's", kT5, {"umt5_pieces", "tokenizer"}, "t5", 32100);
        add("T5 next to Qwen's", kT5, {"qwen3_json", "tokenizer"}, "t5", 32100);
        add("T5 next to Llama's", kT5, {"llama", "tokenizer_4"}, "t5", 32100);
        add("Qwen next to Llama's", kQwen, {"llama", "tokenizer_4"}, "qwen", 151669);
    }

    /// Where no tokenizer lies next to the file, or those of other models alone.
    void takesTheBuiltInOne() {
        QFETCH(QString, encoder);
        QFETCH(QStringList, positioned);
        QFETCH(QString, folder);
        QFETCH(int64_t, tokens);
        for (qsizetype i = 0; i < positioned.size(); i += 2) {
            location(positioned[i], positioned[i + 1]);
        }
        const auto checkpoint = this->encoder(encoder);
        const QString expected = testing::sourcePath("resources/tokenizers/" + folder);
        if (encoder == kQwen) {
            const models::LanguageText text(*checkpoint, "tokenizer", "text_encoder", "pad_token");
            const models::ByteLevelTokenizer tokenizer(*checkpoint, "tokenizer");
            compareFolder(tokenizer.file(), expected);
            QCOMPARE(tokenizer.vocabularySize(), tokens);
            return;
        }
        const models::T5Text text(*checkpoint, "tokenizer", "text_encoder");
        compareFolder(text.tokenizer().file(), expected);
        QCOMPARE(int64_t{text.tokenizer().vocabularySize()}, tokens);
    }

    /// Whoever puts a tokenizer next to the file means it.
    void aDamagedOneNextToTheFileIsRefused() {
        const QByteArray pieces =
            testing::contentsOf(tokenizers_ + "/t5_pieces/tokenizer/spiece.model");
        QVERIFY(QDir().mkpath(path("tokenizer")));
        testing::writeFile(path("tokenizer/spiece.model"), pieces.left(pieces.size() / 2));
        const auto checkpoint = encoder(kT5);
        const auto error = testing::errorOf(
            [&] { (void)models::T5Text(*checkpoint, "tokenizer", "text_encoder"); });
        QVERIFY(error.has_value());
        QVERIFY2(QString::fromStdString(error->message().str())
                     .contains(path("tokenizer/spiece.model") + " is cut off"),
                 error->what());
    }

    void aDamagedBuiltInOneIsNamed_data() {
        testing::addRows("damage", {"missing", "empty", "cut off", "another byte", "more behind"});
    }

    void aDamagedBuiltInOneIsNamed() {
        QFETCH(QString, damage);
        const QString relative = "tokenizers/t5/spiece.model.gz";
        QByteArray packed = testing::contentsOf(testing::sourcePath("resources/" + relative));
        if (damage == "another byte") {
            packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 1);
        }
        packed = damage == "empty"         ? QByteArray()
                 : damage == "cut off"     ? packed.left(packed.size() - 100)
                 : damage == "more behind" ? packed + "0123456789"
                                           : packed;
        QVERIFY(QDir().mkpath(path("resources/tokenizers/t5")));
        if (damage != "missing") {
            testing::writeFile(path("resources/" + relative), packed);
        }
        QVERIFY(QFile::link(published_ + "/models/text_encoders/" + kT5, path(kT5)));
        const auto checkpoint = openEncoder(path(kT5), path("resources"));
        const auto error = testing::errorOf(
            [&] { (void)models::T5Text(*checkpoint, "tokenizer", "text_encoder"); });
        QVERIFY(error.has_value());
        const QString seen = QString::fromStdString(error->message().str());
        QVERIFY2(seen.startsWith(path("resources/" + relative)), qPrintable(seen));
        QVERIFY2(seen.endsWith(damage == "missing" ? "is missing" : "is damaged"),
                 qPrintable(seen));
        QVERIFY(QString::fromStdString(error->hint().str()).contains("install Lowtide again"));
    }

    void refusesAnothersTokenizer_data() {
        QTest::addColumn<QStringList>("positioned");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("Qwen's and T5's")
            << QStringList{"qwen3_json", "", "t5_flux", "tokenizer"}
            << QStringList{"/tokenizer.json is of another kind",
                           "tokenizer/tokenizer.json is of another kind",
                           "128256 rows"};
        QTest::newRow("Qwen's") << QStringList{"qwen3_json", ""}
                                << QStringList{"/tokenizer.json has 151669 tokens", "128256 rows"};
    }

    /// Llama's, which is not built in.
    void refusesAnothersTokenizer() {
        QFETCH(QStringList, positioned);
        QFETCH(QStringList, expected);
        for (qsizetype i = 0; i < positioned.size(); i += 2) {
            location(positioned[i], positioned[i + 1]);
        }
        const auto checkpoint = encoder(kLlama);
        const auto error = testing::errorOf([&] {
            (void)models::LanguageText(*checkpoint, "tokenizer", "text_encoder", "eos_token");
        });
        QVERIFY(error.has_value());
        for (const QString& text : expected) {
            QVERIFY2(QString::fromStdString(error->message().str()).contains(text),
                     error->message().str().c_str());
        }
        QVERIFY2(QString::fromStdString(error->message().str()).contains(folder_->path()),
                 error->message().str().c_str());
        QVERIFY(!error->hint().empty());
    }

    /// The command: node, port, both numbers and the path that is really there.
    void theCommandNamesTheFile() {
        location("qwen3_json", "tokenizer_4");
        (void)encoder(kLlama);
        const testing::CommandResult result = planHiDream();
        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains("load.text_encoder: " + path("tokenizer_4/tokenizer.json") +
                                        " has 151669 tokens") &&
                     result.errors.contains("128256 rows"),
                 qPrintable(result.errors));
    }

    /// A file without the step that begins each text: refused by name where the prompt is empty.
    void aTokenizerThatMakesNoTokenIsNamed() {
        Json file = llamaJson();
        file.erase("post_processor");
        QVERIFY(QDir().mkpath(path("tokenizer_4")));
        testing::writeFile(path("tokenizer_4/tokenizer.json"),
                           QByteArray::fromStdString(file.dump()));
        (void)encoder(kLlama);
        const testing::CommandResult result = planHiDream();
        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains(path("tokenizer_4/tokenizer.json") +
                                        " makes no token of an empty prompt"),
                 qPrintable(result.errors));
    }

    /// ComfyUI's files with the one tokenizer that does not come with Lowtide.
    void hiDreamRunsWithLlamasAlone() {
        location("llama", "tokenizer_4");
        (void)encoder(kLlama);
        const testing::CommandResult result = planHiDream();
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
    }

    /// Every tokenizer of a published folder is read, and fits the encoder next to it: those of
    /// folders that do not run here (those of the others: agreement_test).
    void foldersOpen_data() {
        const testing::Rows<QString, QString> add("tokenizer", "encoder");
        for (const char* name : {"Chroma1",
                                 "HiDream-I1-Dev",
                                 "HiDream-I1-Fast",
                                 "HiDream-I1-Full",
                                 "Qwen-Image",
                                 "Wan2.2-TI2V-5B-Diffusers"}) {
            const QDir folder(published_ + "/folders/" + name);
            for (const QString& tokenizer : folder.entryList({"tokenizer*"}, QDir::Dirs)) {
                const QString encoder = QString(tokenizer).replace("tokenizer", "text_encoder");
                add(qPrintable(folder.dirName() + "/" + tokenizer),
                    folder.filePath(tokenizer),
                    folder.filePath(encoder));
            }
        }
    }

    void foldersOpen() {
        QFETCH(QString, tokenizer);
        QFETCH(QString, encoder);
        const QFileInfo location(tokenizer);
        models::CheckpointFolder folder(
            location.path().toStdString(), "folder", Json::object(), models::ComponentFolders{});
        const std::string component = location.fileName().toStdString();
        const bool isUnigram = QFile::exists(tokenizer + "/spiece.model");
        const bool isClip = QFile::exists(tokenizer + "/merges.txt") &&
                            QFileInfo(tokenizer + "/vocab.json").size() < 2000000;
        const int64_t tokens =
            isUnigram ? models::UnigramTokenizer(folder, component).vocabularySize()
            : isClip  ? models::ClipTokenizer(folder, component, 77).vocabularySize()
                      : models::ByteLevelTokenizer(folder, component).vocabularySize();
        QVERIFY(tokens > 0);
        if (!QFile::exists(encoder + "/config.json")) {
            return;  // Qwen-Image's encoder has no settings among these files
        }
        const Json config =
            parseJson(testing::contentsOf(encoder + "/config.json").toStdString(), "config.json");
        const Json& text = config.contains("vocab_size") ? config : config.at("text_config");
        QVERIFY2(models::fitsRows(tokens, text.at("vocab_size").get<int64_t>()),
                 std::to_string(tokens).c_str());
    }

    /// WAN's own repositories have it in google/umt5-xxl.
    void anOriginalFolderOpens() {
        const QString folder = published_ + "/folders/Wan2.1-T2V-1.3B_original";
        const auto checkpoint = openEncoder(folder + "/" + kUmt5);
        const models::T5Text text(*checkpoint, "tokenizer", "text_encoder");
        QCOMPARE(text.tokenizer().file(), (folder + "/google/umt5-xxl/spiece.model").toStdString());
        QCOMPARE(text.tokenizer().vocabularySize(), 256300);
    }

private:
    [[nodiscard]] QString path(const QString& name) const { return folder_->filePath(name); }

    static void copyFile(const QString& from, const QString& to) {
        QVERIFY(QDir().mkpath(QFileInfo(to).path()));
        QVERIFY2(QFile::link(from, to), qPrintable(to));
    }

    /// The files of a published tokenizer, in a folder next to the weights.
    void location(const QString& tokenizer, const QString& folder) {
        if (tokenizer == "llama") {
            QVERIFY(QDir().mkpath(path(folder)));
            testing::writeFile(path(folder) + "/tokenizer.json",
                               QByteArray::fromStdString(llamaJson().dump()));
            return;
        }
        const QDir from(tokenizers_ + "/" + tokenizer + "/tokenizer");
        for (const QString& file : from.entryList(QDir::Files)) {
            // What lies next to the weights of several encoders is the words alone.
            if (!folder.isEmpty() || !file.contains("config")) {
                copyFile(from.filePath(file), path(folder) + "/" + file);
            }
        }
    }

    /// With Llama's file in this folder, all others where they are published.
    [[nodiscard]] testing::CommandResult planHiDream() const {
        return testing::runLowtide({"plan",
                                    "hidream_12gib",
                                    "--as",
                                    "RTX 4090",
                                    "--model-folder",
                                    published_ + "/models",
                                    "--set",
                                    "denoise.seed=1",
                                    "--set",
                                    "text_encoders.file_4=" + path(kLlama)});
    }

    [[nodiscard]] std::shared_ptr<models::Checkpoint> encoder(const QString& name) const {
        if (!QFile::exists(path(name))) {
            QFile::link(published_ + "/models/text_encoders/" + name, path(name));
        }
        return openEncoder(path(name));
    }

    [[nodiscard]] static std::shared_ptr<models::Checkpoint> openEncoder(
        const QString& file, const QString& resources = testing::sourcePath("resources")) {
        return models::openPart(
            {.path = file.toStdString(), .name = QFileInfo(file).fileName().toStdString()},
            "text_encoder",
            resources.toStdString());
    }

    static void compareFolder(const std::string& file, const QString& folder) {
        QCOMPARE(QDir::cleanPath(QFileInfo(QString::fromStdString(file)).path()),
                 QDir::cleanPath(folder));
    }

    QString published_;
    QString tokenizers_;
    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(TokenizerChoiceTest)

}  // namespace tokenizer_choice_test

#include "tokenizer_choice_test.moc"

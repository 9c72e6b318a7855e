// Files of textual inversions, where they are found, and how prompts name them.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/embeddings.hpp"
#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/files/pickle_bytes.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <limits>

namespace embeddings_test {

using namespace lowtide;
using models::EmbeddingCache;
using models::EmbeddingLibrary;
using models::EmbeddingRef;
using models::PromptToken;
using models::PromptTokens;

namespace {

constexpr int64_t kWidth = 4;

std::string floats(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

testing::FileTensor tensorOf(const Shape& shape, float value = 0.5F) {
    const auto count = static_cast<size_t>(elementCount(shape).value_or(0));
    return {.type = DType::F32, .shape = shape, .bytes = floats(std::vector(count, value))};
}

/// A pickle's tensor of two vectors, under "*" as A1111 keeps them.
std::string a1111Bytes(const std::string& more = {}) {
    return testing::torchBytes(testing::pickledDict(
        {{"string_to_token", testing::pickledDict({{"*", testing::pickledInt(265)}})},
         {"string_to_param", testing::pickledDict({{"*", testing::pickledTensor({})}})},
         {"name", more.empty() ? testing::pickledText("ink") : more}}));
}

/// A folder "embeddings" that a test fills.
class Shelf {
public:
    void add(const QString& name, const testing::TensorFile& tensors) const {
        testing::writeTensorFile(pathOf(name), tensors);
    }

    void add(const QString& name, int64_t vectors, float value = 0.5F) const {
        add(name, {{"emb_params", tensorOf({vectors, kWidth}, value)}});
    }

    void addBytes(const QString& name, const std::string& bytes) const {
        testing::writeFile(QString::fromStdString(pathOf(name)), QByteArray::fromStdString(bytes));
    }

    [[nodiscard]] std::string pathOf(const QString& name) const {
        const QString path = folder_.filePath("embeddings/" + name);
        QDir().mkpath(QFileInfo(path).path());
        return path.toStdString();
    }

    [[nodiscard]] std::string folder() const { return folder_.path().toStdString(); }

    [[nodiscard]] EmbeddingLibrary library() const {
        const std::vector<std::string> positions = {folder()};
        return {models::embeddingFolders(positions), cache_};
    }

private:
    QTemporaryDir folder_;
    std::shared_ptr<EmbeddingCache> cache_ = std::make_shared<EmbeddingCache>();
};

/// The mini model's tokenizer over a shelf.
class Reader {
public:
    explicit Reader(const EmbeddingLibrary& library, int64_t width = kWidth)
        : library_(library), tokens_(tokenizer_, {.library = &library, .width = width}) {}

    /// "[name]" for vectors, else words as they were written.
    [[nodiscard]] QString read(const std::string& text) {
        QStringList parts;
        std::vector<PromptToken> words;
        const std::vector<PromptToken> read = tokens_.of(text, "prompt");
        named_ = tokens_.takeNamed();
        for (const PromptToken& token : read) {
            parts << (token.vectors ? nameOf(token.vectors) : wordOf(token.id));
        }
        return parts.join(' ');
    }

    [[nodiscard]] const models::EmbeddingsNamed& named() const { return named_; }

private:
    [[nodiscard]] QString nameOf(const models::TokenVectorsRef& vectors) const {
        for (const models::NamedEmbedding& each : named_.found) {
            if (library_.find(each.name)->sets.begin()->second == vectors) {
                return QString::fromStdString("[" + each.name + "]");
            }
        }
        return "[?]";
    }

    [[nodiscard]] QString wordOf(models::TokenId id) {
        for (const auto& [word, known] : vocabulary_.items()) {
            if (known == id) {
                return QString::fromStdString(word).remove("</w>");
            }
        }
        return "?";
    }

    const EmbeddingLibrary& library_;
    models::CheckpointFolder folder_{testing::miniModel(), "mini"};
    Json vocabulary_ = folder_.readJson("tokenizer/vocab.json");
    models::ClipTokenizer tokenizer_{folder_, "tokenizer", 32};
    PromptTokens tokens_;
    models::EmbeddingsNamed named_;
};

}  // namespace

class EmbeddingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aFileGivesItsVectors() {
        const Shelf shelf;
        shelf.add("Ink v2.safetensors", 3, 0.25F);

        const models::EmbeddingFile file =
            models::openEmbeddingFile(shelf.pathOf("Ink v2.safetensors"));

        QCOMPARE(file.name, std::string("Ink v2"));
        QCOMPARE(file.digest.size(), size_t{64});
        QCOMPARE(file.sets.size(), size_t{1});
        QCOMPARE(file.sets.at("")->width, kWidth);
        QCOMPARE(file.sets.at("")->values, std::vector<float>(12, 0.25F));
    }

    void aTorchFileIsReadWithoutRunningIt() {
        const Shelf shelf;
        shelf.addBytes("ink.pt", a1111Bytes());
        const models::EmbeddingFile file = models::openEmbeddingFile(shelf.pathOf("ink.pt"));
        QCOMPARE(file.sets.at("")->count(), int64_t{2});
        QCOMPARE(file.sets.at("")->width, int64_t{3});
    }

    void filesAreRefused_data() {
        const testing::Rows<QString, QByteArray, QString> add("name", "bytes", "expected");
        const auto row =
            [&](const char* what, const testing::TensorFile& tensors, const QString& expected) {
                const QTemporaryDir folder;
                const QString path = folder.filePath("f.safetensors");
                testing::writeTensorFile(path.toStdString(), tensors);
                QFile file(path);
                QVERIFY(file.open(QIODevice::ReadOnly));
                add(what, "f.safetensors", file.readAll(), expected);
            };
        const auto bytes =
            [&](const char* what, const std::string& content, const QString& expected) {
                add(what, "f.pt", QByteArray::fromStdString(content), expected);
            };
        const float nan = std::numeric_limits<float>::quiet_NaN();
        row("no vector", {{"emb_params", tensorOf({0, kWidth})}}, "is empty: its shape is [0, 4]");
        row("no width", {{"emb_params", tensorOf({2, 0})}}, "is empty");
        row("one number", {{"emb_params", tensorOf({})}}, "vectors have [count, width]");
        row("three axes", {{"emb_params", tensorOf({1, 1, 4})}}, "vectors have [count, width]");
        row("NaN", {{"emb_params", tensorOf({1, kWidth}, nan)}}, "\"emb_params\": holds a number");
        row("whole numbers",
            {{"emb_params", {.type = DType::I32, .shape = {1, 1}, .bytes = "0123"}}},
            "is I32");
        row("two terms",
            {{"cat", tensorOf({1, kWidth})}, {"dog", tensorOf({1, kWidth})}},
            "is no embedding (textual inversion): its tensors are cat, dog");
        row("a LoRA",
            {{"lora_unet_x.lora_down.weight", tensorOf({1, kWidth})},
             {"lora_unet_x.lora_up.weight", tensorOf({kWidth, 1})}},
            "of the kind LoRA");
        row("sets of two lengths",
            {{"clip_g", tensorOf({2, 5})}, {"clip_l", tensorOf({3, kWidth})}},
            "has 3 vectors in clip_l and 2 in clip_g");
        row("nothing", {}, "there are no vectors in it");
        row("more than texts have", {{"emb_params", tensorOf({1 << 17, kWidth})}}, "no text can");
        bytes("an empty file", "", "\"f.pt\"");
        bytes("no pickle of tensors", "a text", "\"f.pt\"");
        bytes("code", a1111Bytes(testing::pickledGlobal("os", "system")), "os system");
        bytes("a bomb",
              testing::zipBytes({{.name = "a/data.pkl", .content = "x", .method = 8}}),
              "\"f.pt\"");
    }

    void filesAreRefused() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, expected);
        const Shelf shelf;
        shelf.addBytes(name, bytes.toStdString());
        const std::optional<Error> error =
            testing::errorOf([&] { (void)models::openEmbeddingFile(shelf.pathOf(name)); });
        QVERIFY(error.has_value());
        QVERIFY2(QString::fromStdString(error->message().str()).contains(expected),
                 error->message().str().c_str());
        QVERIFY(QString::fromStdString(error->message().str()).contains(name));
        QVERIFY(!error->hint().empty());
    }

    void otherWidthsAreRefused_data() {
        const testing::Rows<bool, QString> row("isOfTwo", "expected");
        row("one set", false, "\"ink.safetensors\" has vectors 4 wide, the text encoder reads 6");
        row("two sets", true, "has vectors 5 wide for clip_g, the text encoder reads 6");
    }

    void otherWidthsAreRefused() {
        QFETCH(bool, isOfTwo);
        QFETCH(QString, expected);
        const Shelf shelf;
        if (isOfTwo) {
            shelf.add("ink.safetensors",
                      {{"clip_l", tensorOf({2, 6})}, {"clip_g", tensorOf({2, 5})}});
        } else {
            shelf.add("ink.safetensors", 1);
        }
        const models::EmbeddingFile file =
            models::openEmbeddingFile(shelf.pathOf("ink.safetensors"));
        const std::optional<Error> error = testing::errorOf([&] {
            (void)models::vectorsFor(file, models::kClipG, message("text encoder"), 6, 75);
        });
        QVERIFY(error.has_value());
        QVERIFY2(QString::fromStdString(error->message().str()).contains(expected),
                 error->message().str().c_str());
    }

    void moreVectorsThanAChunkAreRefused() {
        const Shelf shelf;
        shelf.add("ink.safetensors", 31);
        const EmbeddingLibrary library = shelf.library();
        Reader reader(library);
        const std::optional<Error> error =
            testing::errorOf([&] { (void)reader.read("a photo of ink"); });
        QVERIFY(error.has_value());
        QCOMPARE(error->item(), std::string("prompt"));
        QVERIFY2(error->message().str().find(
                     "has 31 vectors, the text encoder reads texts of 30") != std::string::npos,
                 error->message().str().c_str());
    }

    void textsNameEmbeddings_data() {
        const testing::Rows<QString, QString, QStringList> add("text", "wanted", "missing");
        const auto row = [&](const char* text,
                             const char* wanted,
                             const QStringList& missing = {}) { add(text, text, wanted, missing); };
        row("a cat", "a cat");
        row("a blue cat", "a [blue] cat");
        row("BLUE, cat", "[blue] , cat");
        row("a red cat car", "a [red cat] car");
        row("a red  CAT", "a [red cat]");
        row("a red car", "a red car");
        row("blue blue", "[blue] [blue]");
        row("a embedding:blue cat", "a [blue] cat");
        row("embedding:Blue", "[blue]");
        row("embedding:blue.safetensors, a", "[blue] , a");
        row("embedding:blue,embedding:green", "[blue] , [green]");
        row("embedding:styles/green", "[green]");
        row("embedding:styles/green.pt a", "[green] a");
        row("(embedding:blue:1.2)", "( [blue] :1 . 2 )");
        row("embedding:none a", "a", {"none"});
        row("a embedding:none, cat", "a , cat", {"none"});
        row("embedding:../embeddings/blue", "", {"../embeddings/blue"});
        row("(embedding:none:1)", "( : 1 )", {"none"});
    }

    void textsNameEmbeddings() {
        QFETCH(QString, text);
        QFETCH(QString, wanted);
        QFETCH(QStringList, missing);
        const Shelf shelf;
        shelf.add("blue.safetensors", 2);
        shelf.add("red cat.safetensors", 1);
        shelf.addBytes("styles/green.pt", a1111Bytes());
        shelf.add("green.txt", 1);
        const EmbeddingLibrary library = shelf.library();
        Reader reader(library, text.contains("green") ? 3 : kWidth);
        if (text.contains("blue") && text.contains("green")) {
            shelf.addBytes("blue.safetensors", a1111Bytes());
        }
        const QString read = reader.read(text.toStdString());
        QCOMPARE(QString(read).remove(' '), QString(wanted).remove(' '));
        QStringList names;
        for (const auto& [item, name] : reader.named().missing) {
            QCOMPARE(item, std::string("prompt"));
            names << QString::fromStdString(name);
        }
        QCOMPARE(names, missing);
    }

    void withoutALibraryNamesAreWords() {
        models::CheckpointFolder folder(testing::miniModel(), "mini");
        const models::ClipTokenizer tokenizer(folder, "tokenizer", 32);
        PromptTokens tokens(tokenizer);
        const std::string text = "a embedding:blue cat";
        std::vector<models::TokenId> ids;
        for (const PromptToken& token : tokens.of(text, "prompt")) {
            ids.push_back(token.id);
        }
        QCOMPARE(ids, tokenizer.tokensOf(text, "prompt"));
    }

    /// As A1111 and ComfyUI lay their folders out.
    void foldersAreFound_data() {
        const testing::Rows<QString, QString> row("made", "position");
        row("in the folder", "embeddings", ".");
        row("next to the folder", "models/embeddings", "models/checkpoints");
        row("next to models", "embeddings", "models/Stable-diffusion");
        row("itself", "embeddings", "embeddings");
    }

    void foldersAreFound() {
        QFETCH(QString, made);
        QFETCH(QString, position);
        const QTemporaryDir folder;
        QVERIFY(QDir().mkpath(folder.filePath(made)));
        QVERIFY(QDir().mkpath(folder.filePath(position)));
        const std::vector<std::string> positions = {"", folder.filePath(position).toStdString()};
        QCOMPARE(models::embeddingFolders(positions),
                 std::vector<std::string>{folder.filePath(made).toStdString()});
    }

    void theFirstFolderAndTheSafeFormatComeFirst() {
        const Shelf first;
        const Shelf second;
        first.addBytes("ink.pt", a1111Bytes());
        first.add("ink.safetensors", 5);
        second.add("ink.safetensors", 7);
        const std::vector<std::string> positions = {first.folder(), second.folder()};
        const EmbeddingLibrary library(models::embeddingFolders(positions),
                                       std::make_shared<EmbeddingCache>());
        QCOMPARE(library.names(), std::vector<std::string>{"ink"});
        QCOMPARE(library.find("ink")->sets.at("")->count(), int64_t{5});
        QCOMPARE(library.find("ink.pt")->sets.at("")->count(), int64_t{2});
        QVERIFY(!library.find("pen"));
    }

    void aChangedFileIsReadAgain() {
        const Shelf shelf;
        shelf.add("ink.safetensors", 1);
        const EmbeddingLibrary library = shelf.library();
        const EmbeddingRef before = library.find("ink");
        QCOMPARE(library.find("ink"), before);
        shelf.add("ink.safetensors", 2);
        const EmbeddingRef after = library.find("ink");
        QCOMPARE(after->sets.at("")->count(), int64_t{2});
        QVERIFY(after->digest != before->digest);
    }

    /// Folders that lead back into themselves end.
    void loopsOfFoldersEnd() {
        const Shelf shelf;
        shelf.add("a/ink.safetensors", 1);
        QVERIFY(QFile::link(QString::fromStdString(shelf.folder()) + "/embeddings",
                            QString::fromStdString(shelf.pathOf("a/again"))));
        QCOMPARE(shelf.library().names(), std::vector<std::string>{"ink"});
    }
};

LOWTIDE_TEST(EmbeddingsTest)

}  // namespace embeddings_test

#include "embeddings_test.moc"

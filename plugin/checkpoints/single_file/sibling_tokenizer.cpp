#include "plugin/checkpoints/single_file/sibling_tokenizer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/text/byte_pair_encoder.hpp"
#include "plugin/text/model_files.hpp"
#include "plugin/text/sentence_pieces.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestDocument = 64 * kMiB;
/// From the folder of the weights: next to them, as diffusers, ComfyUI and authors' own
/// repositories call them.
constexpr const char* kTokenizerFolders[] = {"",
                                             "tokenizer",
                                             "tokenizer_2",
                                             "tokenizer_3",
                                             "tokenizer_4",
                                             "t5_tokenizer",
                                             "llama_tokenizer",
                                             "qwen25_tokenizer",
                                             "google/umt5-xxl"};

/// What a folder has in one form.
struct FoundTokenizer {
    const TokenizerForm* form = nullptr;
    FileDocuments documents;
    std::vector<memory::WeightFile> stamps{};
};

std::optional<FoundTokenizer> tokenizerIn(const fs::path& folder,
                                          const TokenizerForm& form,
                                          const TokenizerNeed& need) {
    FoundTokenizer found{.form = &form, .documents = {.className = need.className, .files = {}}};
    const auto add = [&](const char* name) {
        const std::string path = (folder / name).string();
        std::error_code ignored;
        if (fs::is_regular_file(path, ignored)) {
            found.documents.files[name] = {
                .path = path,
                .read = [path] { return files::InputFile(path).readAll(kLargestDocument); }};
            found.stamps.push_back(stampOf(path));
        }
    };
    for (const char* name : form.files) {
        add(name);
    }
    if (found.stamps.size() != form.files.size()) {
        return std::nullopt;
    }
    for (const char* name : need.settings) {
        add(name);
    }
    return found;
}

std::vector<FoundTokenizer> siblingTokenizers(const std::string& weights,
                                              const TokenizerNeed& need) {
    std::vector<FoundTokenizer> all;
    for (const char* name : kTokenizerFolders) {
        const fs::path folder = fs::path(weights).parent_path() / name;
        for (const TokenizerForm& form : need.forms) {
            if (auto found = tokenizerIn(folder, form, need)) {
                all.push_back(std::move(*found));
            }
        }
    }
    return all;
}

/// Why a tokenizer is not the one.
struct Misfit {
    Message reason{};  ///< empty: it fits
    bool isDamaged = false;
};

Misfit misfitOf(const FoundTokenizer& found, int64_t rows) {
    const std::string& path = found.documents.files.at(found.form->files.front()).path;
    try {
        const std::optional<int64_t> tokens = found.form->tokens(found.documents);
        return {.reason = !tokens                   ? message("{} is of another kind", path)
                          : fitsRows(*tokens, rows) ? Message()
                                                    : message("{} has {} tokens", path, *tokens)};
    } catch (const Error& error) {
        return {.reason = error.message(), .isDamaged = true};
    }
}

/// The one that comes with Lowtide for so many rows; nullptr: there is none.
const BuiltInTokenizer* builtInFor(const TokenizerNeed& need) {
    const auto found =
        std::find_if(need.builtIn.begin(), need.builtIn.end(), [&](const BuiltInTokenizer& each) {
            return fitsRows(each.tokens, need.rows);
        });
    return found == need.builtIn.end() ? nullptr : &*found;
}

FileDocuments builtInDocuments(const BuiltInTokenizer& builtIn, const TokenizerNeed& need) {
    FileDocuments documents{.className = need.className, .files = {}};
    for (const char* name : builtIn.files) {
        const std::string path = builtInPath(need.resourcesFolder, builtIn.folder, name);
        documents.files[name] = {.path = path, .read = [path] { return readBuiltIn(path); }};
    }
    return documents;
}

/// A tokenizer that cannot be read.
FileDocuments withoutTokenizer(const std::string& weights,
                               const TokenizerNeed& need,
                               const std::vector<Message>& misfits) {
    const Error error(ErrorKind::NotFound,
                      message("{} has {} rows of tokens, and no tokenizer next to it fits: {}",
                              fs::path(weights).filename().string(),
                              need.rows,
                              joined(misfits, "; ")),
                      need.remedy);
    return {.className = need.className,
            .files = {{need.forms.front().files.front(),
                       {.path = weights, .read = [error]() -> std::string { throw error; }}}}};
}

}  // namespace

FileDocuments siblingTokenizer(const std::string& weights,
                               const TokenizerNeed& need,
                               std::vector<memory::WeightFile>& stamps) {
    std::vector<FoundTokenizer> all = siblingTokenizers(weights, need);
    const BuiltInTokenizer* builtIn = builtInFor(need);
    // The only choice is read, and refused, without being looked at twice.
    const bool isOnly = all.size() == 1 && !builtIn;
    std::vector<Message> misfits;
    for (FoundTokenizer& each : all) {
        const Misfit misfit = isOnly ? Misfit() : misfitOf(each, need.rows);
        if (misfit.reason.empty()) {
            stamps.insert(stamps.end(), each.stamps.begin(), each.stamps.end());
            return std::move(each.documents);
        }
        misfits.push_back(misfit.reason);
        if (misfit.isDamaged) {
            builtIn = nullptr;  // its user means it
        }
    }
    if (builtIn) {
        return builtInDocuments(*builtIn, need);
    }
    return all.empty() ? FileDocuments() : withoutTokenizer(weights, need, misfits);
}

namespace {

/// Looks through a tokenizer.json of 17 MB in place of building its quarter of a million values,
/// and no further than where it is seen to be of another type.
class TokenizerSizeReader final : public Json::json_sax_t {
public:
    TokenizerSizeReader(const std::string& what, std::string_view type)
        : what_(what), wantedType_(type) {}

    [[nodiscard]] bool isOfType() const { return type_ == wantedType_; }

    /// One more than the largest id.
    [[nodiscard]] int64_t size() const { return std::max(ids_, pieces_); }

    bool null() override { return true; }

    bool boolean(bool) override { return true; }

    bool number_integer(number_integer_t id) override {
        return id < 0 || number_unsigned(static_cast<number_unsigned_t>(id));
    }

    bool number_unsigned(number_unsigned_t id) override {
        const bool isId =
            depth_ == 3 && (isInVocabulary() || (part_ == "added_tokens" && key_ == "id"));
        if (isId) {
            ids_ =
                std::max(ids_, static_cast<int64_t>(std::min<uint64_t>(id, kLargestTokenId)) + 1);
        }
        return true;
    }

    bool number_float(number_float_t, const string_t&) override { return true; }

    bool string(string_t& text) override {
        if (depth_ == 2 && part_ == "model" && section_ == "type") {
            type_ = text;
            return isOfType();
        }
        return true;
    }

    bool binary(binary_t&) override { return true; }

    bool start_object(size_t) override { return open(); }

    bool end_object() override { return close(); }

    bool start_array(size_t) override {
        pieces_ += depth_ == 3 && isInVocabulary() ? 1 : 0;
        return open();
    }

    bool end_array() override { return close(); }

    bool key(string_t& key) override {
        if (depth_ <= 3) {
            (depth_ == 1 ? part_ : depth_ == 2 ? section_ : key_).swap(key);
        }
        return true;
    }

    bool parse_error(size_t, const std::string&, const Json::exception&) override {
        throw Error(ErrorKind::Corrupt,
                    message("{} is not valid JSON", what_),
                    message("get the tokenizer's files again"));
    }

private:
    [[nodiscard]] bool isInVocabulary() const { return part_ == "model" && section_ == "vocab"; }

    bool open() {
        ++depth_;
        return true;
    }

    bool close() {
        --depth_;
        return true;
    }

    const std::string& what_;
    std::string_view wantedType_;
    std::string type_ = "BPE";  ///< where old files state none
    std::string part_{};        ///< key of the file
    std::string section_{};     ///< key below it
    std::string key_{};         ///< and below that
    int depth_ = 0;
    int64_t ids_ = 0;
    int64_t pieces_ = 0;
};

const FileDocument& documentIn(const FileDocuments& found, std::string_view name) {
    return found.files.find(name)->second;
}

std::optional<int64_t> tokensOfJson(const FileDocuments& found, std::string_view type) {
    const FileDocument& file = documentIn(found, "tokenizer.json");
    TokenizerSizeReader reader(file.path, type);
    Json::sax_parse(file.read(), &reader);
    return reader.isOfType() ? std::optional(reader.size()) : std::nullopt;
}

}  // namespace

std::optional<int64_t> tokensOfPieces(const FileDocuments& found) {
    const FileDocument& file = documentIn(found, "spiece.model");
    int64_t sentinels = kUsualSentinels;
    if (const auto settings = found.files.find("tokenizer_config.json");
        settings != found.files.end()) {
        const std::string& path = settings->second.path;
        sentinels = sentinelsIn(
            parseJson(settings->second.read(), path, {.readPythonNumbers = true}), path);
    }
    return static_cast<int64_t>(readSentencePieces(file.read(), file.path).pieces.size()) +
           sentinels;
}

std::optional<int64_t> tokensOfUnigramJson(const FileDocuments& found) {
    return tokensOfJson(found, "Unigram");
}

std::optional<int64_t> tokensOfBytePairJson(const FileDocuments& found) {
    return tokensOfJson(found, "BPE");
}

std::optional<int64_t> tokensOfVocabulary(const FileDocuments& found) {
    const FileDocument& file = documentIn(found, "vocab.json");
    const Json vocabulary = parseJson(file.read(), file.path);
    return vocabulary.is_object() ? std::optional(static_cast<int64_t>(vocabulary.size()))
                                  : std::nullopt;
}

}  // namespace lowtide::models

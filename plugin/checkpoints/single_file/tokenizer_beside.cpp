#include "plugin/checkpoints/single_file/tokenizer_beside.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/text/vocabulary_check.hpp"

#include <filesystem>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestDocument = 64 * kMiB;
/// From the folder of the weights: beside them, as diffusers, ComfyUI and WAN's own repositories
/// call them.
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

std::vector<FoundTokenizer> tokenizersBeside(const std::string& weights,
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

/// Why a tokenizer is not the one; empty: it fits.
std::string misfitOf(const FoundTokenizer& found, int64_t rows) {
    const std::string& path = found.documents.files.at(found.form->files.front()).path;
    try {
        const std::optional<int64_t> tokens = found.form->tokens(found.documents);
        return !tokens                   ? path + " is of another kind"
               : fitsRows(*tokens, rows) ? ""
                                         : path + " has " + std::to_string(*tokens) + " tokens";
    } catch (const Error& error) {
        return error.message();
    }
}

/// A tokenizer that cannot be read.
FileDocuments withoutTokenizer(const std::string& weights,
                               const TokenizerNeed& need,
                               const std::vector<std::string>& misfits) {
    const Error error(
        ErrorKind::NotFound,
        fs::path(weights).filename().string() + " has " + std::to_string(need.rows) +
            " rows of tokens, and no tokenizer beside it fits: " + join(misfits, "; "),
        need.remedy);
    return {.className = need.className,
            .files = {{need.forms.front().files.front(),
                       {.path = weights, .read = [error]() -> std::string { throw error; }}}}};
}

}  // namespace

FileDocuments tokenizerBeside(const std::string& weights,
                              const TokenizerNeed& need,
                              std::vector<memory::WeightFile>& stamps) {
    std::vector<FoundTokenizer> all = tokenizersBeside(weights, need);
    if (all.empty()) {
        return {};
    }
    std::vector<std::string> misfits;
    for (FoundTokenizer& each : all) {
        // A single one is read, and refused, without being looked at twice.
        const std::string misfit = all.size() == 1 ? "" : misfitOf(each, need.rows);
        if (misfit.empty()) {
            stamps.insert(stamps.end(), each.stamps.begin(), each.stamps.end());
            return std::move(each.documents);
        }
        misfits.push_back(misfit);
    }
    return withoutTokenizer(weights, need, misfits);
}

}  // namespace lowtide::models

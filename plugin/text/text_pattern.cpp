#include "plugin/text/text_pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <array>
#include <pcre2.h>

namespace lowtide::models {

namespace {

/// PCRE2 counts U+180E as white space, Unicode's White_Space and the reference do not.
constexpr std::string_view kWhiteSpace =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr uint32_t kMostMatchSteps = 10'000'000;

/// The expression with white space written out.
std::string withWhiteSpace(std::string_view expression, const std::string& what) {
    std::string written;
    bool isInClass = false;
    for (size_t i = 0; i < expression.size(); ++i) {
        const char letter = expression[i];
        if (letter != '\\' || i + 1 == expression.size()) {
            if (letter == '[' && isInClass) {
                throw Error(
                    ErrorKind::Unsupported,
                    message("{}: the expression {} has a class in a class, which is not built",
                            what,
                            quotedName(std::string(expression))),
                    message("use a checkpoint with another tokenizer"));
            }
            isInClass = letter == '[' || (isInClass && letter != ']');
            written += letter;
            continue;
        }
        const char escaped = expression[++i];
        if (escaped == 'S' && isInClass) {
            throw Error(ErrorKind::Unsupported,
                        message("{}: the expression {} has \\S in a class, which is not built",
                                what,
                                quotedName(std::string(expression))),
                        message("use a checkpoint with another tokenizer"));
        }
        if (escaped != 's' && escaped != 'S') {
            written += letter;
            written += escaped;
        } else if (isInClass) {
            written += kWhiteSpace;
        } else {
            written += (escaped == 's' ? "[" : "[^") + std::string(kWhiteSpace) + "]";
        }
    }
    return written;
}

}  // namespace

struct TextPattern::Code {
    struct FreeCode {
        void operator()(pcre2_code* compiled) const { pcre2_code_free(compiled); }
    };

    std::unique_ptr<pcre2_code, FreeCode> compiled;
};

struct TextPattern::Matches::State {
    struct FreeMatch {
        void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
    };

    struct FreeContext {
        void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
    };

    const pcre2_code* code;
    std::string_view text;
    std::unique_ptr<pcre2_match_data, FreeMatch> match;
    std::unique_ptr<pcre2_match_context, FreeContext> context;
    PCRE2_SIZE from = 0;
};

TextPattern::TextPattern(std::string_view expression, const std::string& what)
    : code_(std::make_unique<Code>()) {
    const std::string written = withWhiteSpace(expression, what);
    int error = 0;
    PCRE2_SIZE offset = 0;
    code_->compiled.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(written.data()),
                                        written.size(),
                                        PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C,
                                        &error,
                                        &offset,
                                        nullptr));
    if (!code_->compiled) {
        std::array<PCRE2_UCHAR, 256> problem{};
        pcre2_get_error_message(error, problem.data(), problem.size());
        throw Error(ErrorKind::Unsupported,
                    message("{}: the expression {} is not read: {}",
                            what,
                            quotedName(std::string(expression)),
                            reinterpret_cast<const char*>(problem.data())),
                    message("use a checkpoint with another tokenizer"));
    }
}

TextPattern::~TextPattern() = default;
TextPattern::TextPattern(TextPattern&&) noexcept = default;

TextPattern::Matches::Matches(const TextPattern& pattern, std::string_view text)
    : state_(std::make_unique<State>(
          State{.code = pattern.code_->compiled.get(), .text = text, .match = {}, .context = {}})) {
    state_->match.reset(pcre2_match_data_create_from_pattern(state_->code, nullptr));
    state_->context.reset(pcre2_match_context_create(nullptr));
    LOWTIDE_ASSERT(state_->match != nullptr && state_->context != nullptr);
    pcre2_set_match_limit(state_->context.get(), kMostMatchSteps);
}

TextPattern::Matches::~Matches() = default;

std::optional<TextPattern::Match> TextPattern::Matches::next() {
    if (state_->from >= state_->text.size()) {
        return std::nullopt;
    }
    const int found = pcre2_match(state_->code,
                                  reinterpret_cast<PCRE2_SPTR>(state_->text.data()),
                                  state_->text.size(),
                                  state_->from,
                                  PCRE2_NOTEMPTY | (state_->from == 0 ? 0 : PCRE2_NO_UTF_CHECK),
                                  state_->match.get(),
                                  state_->context.get());
    if (found == PCRE2_ERROR_NOMATCH) {
        return std::nullopt;
    }
    if (found < 0) {
        throw Error(ErrorKind::InvalidInput,
                    message("the text could not be split into words (PCRE2 error {})", found),
                    message("write it in UTF-8"),
                    "prompt");
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(state_->match.get());
    state_->from = ends[1];
    return Match{.begin = ends[0], .end = ends[1], .hasGroup = found > 1};
}

}  // namespace lowtide::models

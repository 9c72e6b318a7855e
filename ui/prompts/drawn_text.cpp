#include "ui/prompts/drawn_text.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr size_t kDeepestWildcards = 64;
/// Lines and alternatives that one text may need: what is larger is a mistake.
constexpr int64_t kMostWork = 1 << 17;

using Parts = std::vector<PromptPart>;
using Options = std::vector<PromptPart::Option>;

uint64_t sumOf(uint64_t a, uint64_t b) {
    return a > PromptChoices::kEndless - b ? PromptChoices::kEndless : a + b;
}

uint64_t productOf(uint64_t a, uint64_t b) {
    return b != 0 && a > PromptChoices::kEndless / b ? PromptChoices::kEndless : a * b;
}

/// The same numbers on every machine. Source: Steele, Lea, Flood 2014, SplitMix64.
class Draws {
public:
    explicit Draws(uint64_t seed) : state_(seed) {}

    /// From 0 up to 1.
    double next() {
        state_ += 0x9E3779B97F4A7C15ULL;
        uint64_t bits = state_;
        bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
        bits ^= bits >> 31U;
        return static_cast<double>(bits >> 11U) * 0x1.0p-53;
    }

private:
    uint64_t state_;
};

/// What parts stand for, with the lines of wildcards as they are needed.
class Resolver {
public:
    explicit Resolver(const Wildcards& wildcards) : wildcards_(wildcards) {}

    /// Begins with another text; what was found out is kept.
    void begin() {
        open_.clear();
        work_ = 0;
    }

    void draw(const Parts& parts, Draws& draws, std::string& text) {
        for (const PromptPart& part : parts) {
            if (part.kind == PromptPart::Kind::Text) {
                append(part.text, text);
                continue;
            }
            if (part.kind == PromptPart::Kind::Choice) {
                within(part, [&] { draw(drawnOf(part, draws).parts, draws, text); });
            } else {
                within(part, [&] { draw(parseOption(drawnLine(part, draws)).parts, draws, text); });
            }
        }
    }

    uint64_t count(const Parts& parts) {
        uint64_t all = 1;
        for (const PromptPart& part : parts) {
            if (part.kind != PromptPart::Kind::Text) {
                all = productOf(all, countOf(part));
            }
        }
        return all;
    }

    /// The last part changes first.
    void write(const Parts& parts, uint64_t index, std::string& text) {
        std::vector<uint64_t> own(parts.size(), 0);
        for (size_t i = parts.size(); i-- > 0;) {
            if (parts[i].kind != PromptPart::Kind::Text) {
                const uint64_t all = countOf(parts[i]);
                own[i] = index % all;
                index /= all;
            }
        }
        for (size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].kind == PromptPart::Kind::Text) {
                append(parts[i].text, text);
            } else {
                writeOption(parts[i], own[i], text);
            }
        }
    }

private:
    void append(const std::string& more, std::string& text) {
        text += more;
        if (text.size() > PromptChoices::kMostBytes) {
            throw Error(ErrorKind::InvalidInput,
                        message("the prompt becomes longer than 1 MiB"),
                        message("use fewer wildcards in wildcards"));
        }
    }

    /// Does `work`, which may lead into the part again where that is a wildcard.
    template <class Work>
    void within(const PromptPart& part, const Work& work) {
        if (++work_ > kMostWork) {
            throw Error(ErrorKind::InvalidInput,
                        message("the prompt draws more than 130,000 alternatives"),
                        message("use fewer wildcards in wildcards"));
        }
        if (part.kind == PromptPart::Kind::Choice) {
            work();
            return;
        }
        const auto again = std::find(open_.begin(), open_.end(), part.text);
        if (again != open_.end() || open_.size() == kDeepestWildcards) {
            std::vector<std::string> way(again == open_.end() ? open_.begin() : again, open_.end());
            way.push_back(part.text);
            throw Error(
                ErrorKind::InvalidInput,
                again == open_.end()
                    ? message("wildcards lie more than 64 deep in each other: {}", listSome(way))
                    : message("the wildcard {} comes back to itself: {}",
                              quotedName(part.text),
                              join(way, " > ")),
                message("take one of the names out of these files"));
        }
        open_.push_back(part.text);
        work();
        open_.pop_back();
    }

    [[nodiscard]] const std::vector<std::string>& linesOf(const std::string& name) const {
        const auto found = wildcards_.find(name);
        if (found == wildcards_.end()) {
            std::vector<std::string> names;
            for (const auto& [each, lines] : wildcards_) {
                names.push_back(each);
            }
            const std::string near = nearestName(name, names);
            throw Error(ErrorKind::NotFound,
                        message("there is no wildcard {}", quotedName(name)),
                        near.empty()
                            ? message("put a file {} into the folder of wildcards; a backslash "
                                      "before __ makes it text",
                                      quotedName(name + ".txt"))
                            : message("did you mean {}?; a backslash before __ makes it text",
                                      quotedName(near)));
        }
        if (found->second.empty()) {
            throw Error(ErrorKind::InvalidInput,
                        message("the file of the wildcard {} has no lines", quotedName(name)),
                        message("write one alternative a line into it"));
        }
        return found->second;
    }

    /// The alternatives of a part; lines are parsed once.
    const Options& optionsOf(const PromptPart& part) {
        if (part.kind == PromptPart::Kind::Choice) {
            return part.options;
        }
        std::unique_ptr<Options>& known = lines_[part.text];
        if (!known) {
            known = std::make_unique<Options>();
            for (const std::string& line : linesOf(part.text)) {
                known->push_back(parseOption(line));
            }
        }
        return *known;
    }

    static const PromptPart::Option& drawnOf(const PromptPart& part, Draws& draws) {
        std::vector<double> weights;
        for (const PromptPart::Option& option : part.options) {
            weights.push_back(option.weight);
        }
        return part.options[drawnIndex(weights, draws, part)];
    }

    /// Of many lines the drawn one alone is parsed.
    [[nodiscard]] const std::string& drawnLine(const PromptPart& part, Draws& draws) const {
        const std::vector<std::string>& lines = linesOf(part.text);
        std::vector<double> weights;
        for (const std::string& line : lines) {
            weights.push_back(weightOfOption(line));
        }
        return lines[drawnIndex(weights, draws, part)];
    }

    static size_t drawnIndex(const std::vector<double>& weights,
                             Draws& draws,
                             const PromptPart& part) {
        double left = draws.next() * std::accumulate(weights.begin(), weights.end(), 0.0);
        size_t last = weights.size();
        for (size_t i = 0; i < weights.size(); ++i) {
            if (weights[i] > 0) {
                last = i;
                if (left < weights[i]) {
                    break;
                }
            }
            left -= weights[i];
        }
        if (last == weights.size()) {
            refuseWeights(part);
        }
        return last;
    }

    [[noreturn]] static void refuseWeights(const PromptPart& part) {
        throw Error(
            ErrorKind::InvalidInput,
            part.kind == PromptPart::Kind::Wildcard
                ? message("all lines of the wildcard {} have the weight 0", quotedName(part.text))
                : message("all alternatives between two braces have the weight 0"),
            message("give one of them a weight above 0"));
    }

    uint64_t countOf(const PromptPart& part) {
        const auto known = counts_.find(&part);
        if (known != counts_.end()) {
            return known->second;
        }
        uint64_t all = 0;
        within(part, [&] {
            for (const PromptPart::Option& option : optionsOf(part)) {
                if (option.weight > 0) {
                    all = sumOf(all, count(option.parts));
                }
            }
        });
        if (all == 0) {
            refuseWeights(part);
        }
        counts_[&part] = all;
        return all;
    }

    void writeOption(const PromptPart& part, uint64_t index, std::string& text) {
        within(part, [&] {
            for (const PromptPart::Option& option : optionsOf(part)) {
                const uint64_t own = option.weight > 0 ? count(option.parts) : 0;
                if (index < own) {
                    write(option.parts, index, text);
                    return;
                }
                index -= own;
            }
        });
    }

    const Wildcards& wildcards_;
    std::map<std::string, std::unique_ptr<Options>, std::less<>> lines_;
    std::map<const PromptPart*, uint64_t> counts_;
    std::vector<std::string> open_;
    int64_t work_ = 0;
};

}  // namespace

std::string drawnText(const std::vector<PromptPart>& parts,
                      const Wildcards& wildcards,
                      uint64_t seed) {
    Draws draws(seed);
    std::string text;
    Resolver(wildcards).draw(parts, draws, text);
    return text;
}

struct AllTexts::Known {
    Known(Parts of, const Wildcards& wildcards) : parts(std::move(of)), resolver(wildcards) {}

    Parts parts;
    Resolver resolver;
};

AllTexts::AllTexts(std::vector<PromptPart> parts, const Wildcards& wildcards)
    : known_(std::make_unique<Known>(std::move(parts), wildcards)) {}

AllTexts::~AllTexts() = default;
AllTexts::AllTexts(AllTexts&& other) noexcept = default;

uint64_t AllTexts::count() {
    known_->resolver.begin();
    return known_->resolver.count(known_->parts);
}

std::string AllTexts::at(uint64_t index) {
    std::string text;
    known_->resolver.begin();
    known_->resolver.write(known_->parts, index, text);
    return text;
}

}  // namespace lowtide::ui

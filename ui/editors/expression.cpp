#include "ui/editors/expression.hpp"

#include <QCoreApplication>

#include <cmath>
#include <cstdlib>
#include <string>

namespace lowtide::ui {

namespace {

constexpr int kMaxDepth = 32;

class Expression {
    Q_DECLARE_TR_FUNCTIONS(lowtide::ui::Expression)

public:
    explicit Expression(std::string text) : text_(std::move(text)) {}

    /// Goes on from `current`, or starts anew.
    Evaluated evaluate(long double current) {
        long double number = 0;
        skipSpace();
        if (peek() == '+' || peek() == '*' || peek() == '/' || isAssignment()) {
            const char sign = take();
            if (peek() == '=') {
                take();
            }
            const long double right = sum();
            number = applied(sign, current, right);
        } else {
            number = sum();
        }
        skipSpace();
        if (problem_.isEmpty() && at_ < text_.size()) {
            fail(tr("\"%1\" is not understood").arg(QString::fromStdString(text_.substr(at_))));
        }
        if (problem_.isEmpty() && !std::isfinite(number)) {
            fail(tr("the result is too large"));
        }
        if (!problem_.isEmpty()) {
            return {std::nullopt, problem_};
        }
        return {number, {}};
    }

private:
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    char take() { return text_[at_++]; }

    [[nodiscard]] bool isAssignment() const {
        return peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] == '=';
    }

    void skipSpace() {
        while (peek() == ' ' || peek() == '\t') {
            ++at_;
        }
    }

    void fail(const QString& problem) {
        if (problem_.isEmpty()) {
            problem_ = problem;
        }
    }

    long double applied(char sign, long double left, long double right) {
        switch (sign) {
            case '+':
                return left + right;
            case '-':
                return left - right;
            case '*':
                return left * right;
            default:
                if (right == 0) {
                    fail(tr("it divides by zero"));
                    return 0;
                }
                return left / right;
        }
    }

    long double sum() {
        long double left = product();
        for (skipSpace(); peek() == '+' || peek() == '-'; skipSpace()) {
            const char sign = take();
            const long double right = product();
            left = applied(sign, left, right);
        }
        return left;
    }

    long double product() {
        long double left = factor();
        for (skipSpace(); peek() == '*' || peek() == '/'; skipSpace()) {
            const char sign = take();
            const long double right = factor();
            left = applied(sign, left, right);
        }
        return left;
    }

    long double factor() {
        skipSpace();
        if (++depth_ > kMaxDepth) {
            fail(tr("there are too many brackets"));
            at_ = text_.size();
            return 0;
        }
        long double number = 0;
        if (peek() == '-' || peek() == '+') {
            number = take() == '-' ? -factor() : factor();
        } else if (peek() == '(') {
            take();
            number = sum();
            skipSpace();
            if (peek() == ')') {
                take();
            } else {
                fail(tr("a closing bracket is missing"));
            }
        } else {
            number = literal();
        }
        --depth_;
        return number;
    }

    long double literal() {
        const bool isNumber = (peek() >= '0' && peek() <= '9') || peek() == '.';
        char* end = nullptr;
        const long double number = isNumber ? std::strtold(text_.c_str() + at_, &end) : 0;
        if (!isNumber || end == text_.c_str() + at_) {
            fail(peek() == '\0' ? tr("a number is missing")
                                : tr("\"%1\" is not understood")
                                      .arg(QString::fromStdString(text_.substr(at_))));
            return 0;
        }
        at_ = static_cast<size_t>(end - text_.c_str());
        return number;
    }

    std::string text_;
    size_t at_ = 0;
    int depth_ = 0;
    QString problem_;
};

}  // namespace

Evaluated evaluate(const QString& text, long double current) {
    QString plain = text.trimmed();
    plain.replace(QLatin1Char(','), QLatin1Char('.'));
    return Expression(plain.toStdString()).evaluate(current);
}

}  // namespace lowtide::ui

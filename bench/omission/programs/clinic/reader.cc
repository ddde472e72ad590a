// The commands.
#include "clinic.h"

#include <algorithm>
#include <iostream>
#include <numeric>
#include <sstream>

namespace {

// One more level, as long as this object lives.
class Deeper {
public:
    explicit Deeper(int &depth) : depth(depth) { ++depth; }
    ~Deeper() { --depth; }

private:
    int &depth;
};

int number(const std::string &word)
{
    std::size_t used = 0;
    int value = 0;
    try {
        value = std::stoi(word, &used);
    } catch (const std::invalid_argument &) {
        throw Unreadable("no number: " + word);
    }
    if (used != word.size())
        throw Unreadable("no number: " + word);
    return value;
}

// "DOCTOR MONTH/DAY HOUR:MINUTE" from the word at `start`.
Slot slot_of(const std::vector<std::string> &words, std::size_t start)
{
    if (words.size() < start + 3)
        throw Unreadable("no slot");
    Slot slot;
    slot.doctor = words[start];
    const std::string &day = words[start + 1];
    const std::string &time = words[start + 2];
    std::size_t slash = day.find('/'), colon = time.find(':');
    if (slash == std::string::npos || colon == std::string::npos)
        throw Unreadable("no slot: " + day + " " + time);
    slot.day.month = number(day.substr(0, slash));
    slot.day.day = number(day.substr(slash + 1));
    slot.minute = number(time.substr(0, colon)) * 60 + number(time.substr(colon + 1));
    return slot;
}

std::optional<int> option(const std::vector<std::string> &words, const std::string &name)
{
    for (const std::string &word : words)
        if (word.compare(0, name.size() + 1, name + "=") == 0)
            return number(word.substr(name.size() + 1));
    return std::nullopt;
}

bool has(const std::vector<std::string> &words, const std::string &word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::unique_ptr<Visit> visit_of(const std::vector<std::string> &words)
{
    const std::string &kind = words[0];
    int minutes = option(words, "minutes").value_or(15);
    std::unique_ptr<Visit> visit;
    if (kind == "surgery")
        visit = std::make_unique<Surgery>(words[1], minutes, option(words, "rooms").value_or(1));
    else if (kind == "phone")
        visit = std::make_unique<Phone>(words[1], minutes);
    else
        visit = std::make_unique<Visit>(words[1], minutes);
    visit->rebate = option(words, "rebate").value_or(0);
    visit->is_urgent = has(words, "urgent");
    return visit;
}

std::vector<std::string> split(const std::string &line, char separator)
{
    std::vector<std::string> words;
    std::istringstream text(line);
    std::string word;
    while (std::getline(text, word, separator))
        words.push_back(word);
    words.erase(std::remove(words.begin(), words.end(), ""), words.end());
    return words;
}

} // namespace

int Reader::run(std::istream &in)
{
    std::string line;
    while (std::getline(in, line)) {
        std::vector<std::string> words = split(line, ' ');
        if (words.empty() || words[0][0] == '#')
            continue;
        try {
            command(words);
        } catch (const Refused &refused) {
            out << "refused: " << refused.what() << "\n";
        } catch (const std::exception &error) {
            out << "error: " << error.what() << "\n";
            errors++;
        }
    }
    return errors;
}

void Reader::command(const std::vector<std::string> &words)
{
    Deeper deeper(depth);
    if (depth > 3)
        throw Refused("too deep");
    const std::string &name = words[0];
    if (name == "define") {
        macros[words.at(1)] = {words.begin() + 2, words.end()};
    } else if (name == "do") {
        auto found = macros.find(words.at(1));
        if (found == macros.end())
            throw Unreadable("no macro " + words[1]);
        std::vector<std::string> inner;
        for (const std::string &word : found->second) {
            if (word != ";") {
                inner.push_back(word);
                continue;
            }
            command(inner);
            inner.clear();
        }
        command(inner);
    } else if (name == "move") {
        book.move(slot_of(words, 1), slot_of(words, 4));
    } else if (name == "repeat") {
        book.repeat(slot_of(words, 1), number(words.at(4)), number(words.at(5)));
    } else if (name == "cancel") {
        book.cancel(words.at(1));
    } else if (name == "discount") {
        if (auto part = option(words, "percent"))
            prices.discount(words.at(1), Percent{*part});
        else if (auto cents = option(words, "cents"))
            prices.discount(words.at(1), Fixed{*cents});
        else
            prices.discount(words.at(1), {});
    } else if (name == "report") {
        report();
    } else if (name == "summary") {
        summary();
    } else if (name == "visit" || name == "phone" || name == "surgery") {
        book.add(slot_of(words, 2), visit_of(words));
    } else {
        throw Unreadable("no command " + name);
    }
}

std::vector<std::string> Reader::urgent() const
{
    std::vector<std::string> patients;
    book.each([&](const Slot &, const Visit &visit) {
        if (visit.is_urgent)
            patients.push_back(visit.patient);
    });
    std::sort(patients.begin(), patients.end());
    patients.erase(std::unique(patients.begin(), patients.end()), patients.end());
    return patients;
}

void Reader::report()
{
    int cents = 0, count = 0;
    std::map<std::string, int> of_patient;
    book.each([&](const Slot &slot, const Visit &visit) {
        int due = prices.due(visit);
        out << text_of(slot.day) << ' ' << slot.minute / 60 << 'h' << slot.minute % 60 << ' '
            << slot.doctor << ": " << visit.kind() << " of " << visit.patient << ", " << euros(due)
            << "\n";
        of_patient[visit.patient] += due;
        cents += due;
        count++;
    });
    for (const auto &[patient, due] : of_patient)
        out << patient << ": " << euros(due) << "\n";
    out << count << " for " << euros(cents) << "\n";
}

void Reader::summary()
{
    for (const std::string doctor : {"Abel", "Bose", "Curie"})
        out << doctor << ": " << book.load(doctor) << " minutes\n";
    out << "doctors: " << book.doctors() << "\n";
    std::vector<std::string> patients = urgent();
    std::string all = std::accumulate(
        patients.begin(), patients.end(), std::string(),
        [](const std::string &text, const std::string &patient) {
            return text.empty() ? patient : text + ", " + patient;
        });
    out << "urgent: " << patients.size() << " (" << all << ")\n";
    out << "clean: " << Written<bool>::of(errors == 0) << ", errors: " << Written<int>::of(errors) << "\n";
}

int main()
{
    Book book;
    Prices prices;
    Reader reader(book, prices, std::cout);
    return reader.run(std::cin) > 9 ? 1 : 0;
}

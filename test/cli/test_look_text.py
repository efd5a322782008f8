#!/usr/bin/env python3
"""What attend look prints, to the letter: pictures in plain text, tables, and what it says of wrong calls.

usage: ATTEND_BINARY=build/dev/attend test_look_text.py
"""
import json
import os
import shlex
import subprocess
import unittest

BINARY = os.path.abspath(os.environ.get("ATTEND_BINARY", "build/release/attend"))

# $ verb and arguments, what it prints on both streams, and [its exit status] unless that is 0
TRANSCRIPT = r"""
$ look --example napkin
weights: a row for each query, a column for each key

       it      was     tired
it     ▓ 0.40  ░ 0.20  ▓ 0.40
was    ░ 0.20  ▓ 0.40  ▓ 0.40
tired  ▒ 0.25  ▒ 0.25  ▓ 0.50

weight  · 0  ░ 0.15  ▒ 0.3  ▓ 0.45  █ 0.6

$ look --example cat --compare-causal
weights: a row for each query, a column for each key

      full                              causal
      the     cat     sat     down      the     cat     sat     down
the   ░ 0.22  · 0.11  ░ 0.22  ▒ 0.45    █ 1.00  ╱╱╱╱╱╱  ╱╱╱╱╱╱  ╱╱╱╱╱╱
cat   ░ 0.14  ░ 0.29  ░ 0.29  ░ 0.29    ░ 0.33  ▓ 0.67  ╱╱╱╱╱╱  ╱╱╱╱╱╱
sat   · 0.04  ▓ 0.73  ░ 0.18  · 0.04    · 0.05  ▓ 0.77  ░ 0.19  ╱╱╱╱╱╱
down  · 0.12  ▒ 0.51  ░ 0.25  · 0.12    · 0.12  ▒ 0.51  ░ 0.25  · 0.12

weight  · 0  ░ 0.25  ▒ 0.5  ▓ 0.75  █ 1   ╱╱ hidden from the query

$ look --example cat --causal --digits 0
weights: a row for each query, a column for each key

      the   cat   sat   down
the   █ 1   ╱╱╱╱  ╱╱╱╱  ╱╱╱╱
cat   ░ 0   ▓ 1   ╱╱╱╱  ╱╱╱╱
sat   · 0   ▓ 1   ░ 0   ╱╱╱╱
down  · 0   ▒ 1   ░ 0   · 0

weight  · 0  ░ 0.25  ▒ 0.5  ▓ 0.75  █ 1   ╱╱ hidden from the query

$ look --example heads
weights: a row for each query, a column for each key

     head 1                            head 2
     she     fed     her     cat       she     fed     her     cat
she  █ 1.00  ╱╱╱╱╱╱  ╱╱╱╱╱╱  ╱╱╱╱╱╱    █ 1.00  ╱╱╱╱╱╱  ╱╱╱╱╱╱  ╱╱╱╱╱╱
fed  ░ 0.20  ▓ 0.80  ╱╱╱╱╱╱  ╱╱╱╱╱╱    █ 0.94  · 0.06  ╱╱╱╱╱╱  ╱╱╱╱╱╱
her  ▒ 0.49  · 0.03  ▒ 0.49  ╱╱╱╱╱╱    ▒ 0.40  ▒ 0.40  ░ 0.20  ╱╱╱╱╱╱
cat  · 0.10  ▒ 0.40  · 0.10  ▒ 0.40    ▓ 0.65  · 0.04  ░ 0.16  ░ 0.16

weight  · 0  ░ 0.25  ▒ 0.5  ▓ 0.75  █ 1   ╱╱ hidden from the query

$ look --example heads --head 2 --compare-causal
weights: a row for each query, a column for each key

     full, head 2                      causal, head 2
     she     fed     her     cat       she     fed     her     cat
she  ░ 0.22  ░ 0.22  · 0.11  ▒ 0.45    █ 1.00  ╱╱╱╱╱╱  ╱╱╱╱╱╱  ╱╱╱╱╱╱
fed  ▓ 0.65  · 0.04  ░ 0.16  ░ 0.16    █ 0.94  · 0.06  ╱╱╱╱╱╱  ╱╱╱╱╱╱
her  ░ 0.22  ░ 0.22  · 0.11  ▒ 0.45    ▒ 0.40  ▒ 0.40  ░ 0.20  ╱╱╱╱╱╱
cat  ▓ 0.65  · 0.04  ░ 0.16  ░ 0.16    ▓ 0.65  · 0.04  ░ 0.16  ░ 0.16

weight  · 0  ░ 0.25  ▒ 0.5  ▓ 0.75  █ 1   ╱╱ hidden from the query

$ look --example cat --causal --ceiling 0.5
weights: a row for each query, a column for each key

      the     cat     sat     down
the   █ 1.00  ╱╱╱╱╱╱  ╱╱╱╱╱╱  ╱╱╱╱╱╱
cat   ▓ 0.33  █ 0.67  ╱╱╱╱╱╱  ╱╱╱╱╱╱
sat   · 0.05  █ 0.77  ░ 0.19  ╱╱╱╱╱╱
down  ░ 0.12  █ 0.51  ▒ 0.25  ░ 0.12

weight  · 0  ░ 0.125  ▒ 0.25  ▓ 0.375  █ ≥ 0.5   ╱╱ hidden from the query

$ look --example cat --rows sat,#1 --causal
weights of the chosen queries
key    sat    the
the    0.045  1.000
cat    0.768  -
sat    0.187  -
down   -      -
sum    1.000  1.000

$ look --example cat --top 2 --causal
heaviest keys of each query, and the weight of the rest
query  1            2            rest
the    the   1.000  -            0.000
cat    cat   0.670  the   0.330  0.000
sat    cat   0.768  sat   0.187  0.045
down   cat   0.505  sat   0.249  0.246

$ look --example cat --entropy --compare-causal
full: entropy of each query's weights, in nats
query  entropy  log of keys seen  keys seen
the    1.269    1.386             4
cat    1.351    1.386             4
sat    0.807    1.386             4
down   1.206    1.386             4

causal: entropy of each query's weights, in nats
query  entropy  log of keys seen  keys seen
the    0.000    0.000             1
cat    0.634    0.693             2
sat    0.656    1.099             3
down   1.206    1.386             4

$ look --example heads --received --head 1
head 1: weight that each key receives, summed over the queries
key    received
she    1.779
fed    1.235
her    0.583
cat    0.402
sum    4.000

$ look --example cat --top 1 --entropy --received --digits 5
heaviest keys of each query, and the weight of the rest
query  1              rest
the    down  0.44858  0.55142
cat    cat   0.28628  0.71372
sat    cat   0.73458  0.26542
down   cat   0.50523  0.49477

entropy of each query's weights, in nats
query  entropy  log of keys seen  keys seen
the    1.26869  1.38629           4
cat    1.35059  1.38629           4
sat    0.80663  1.38629           4
down   1.20631  1.38629           4

weight that each key receives, summed over the queries
key    received
the    0.52858
cat    1.63514
sat    0.93516
down   0.90111
sum    4.00000

$ look --example cat --scale 10
weights: a row for each query, a column for each key

      the     cat     sat     down
the   · 0.00  · 0.00  · 0.00  █ 1.00
cat   · 0.00  ░ 0.33  ░ 0.33  ░ 0.33
sat   · 0.00  █ 1.00  · 0.00  · 0.00
down  · 0.00  █ 1.00  · 0.00  · 0.00

weight  · 0  ░ 0.25  ▒ 0.5  ▓ 0.75  █ 1

$ look 
attend: error: look needs a file or --example NAME
hint: attend look --example cat
[2]

$ look --example dog
attend: error: --example: there is no example "dog"; there are: cat, heads, napkin, order
[2]

$ look a b
attend: error: look takes one file (found "b" after "a")
[2]

$ look --example cat x.json
attend: error: --example and a file exclude each other
[2]

$ look --example cat --top 0
attend: error: --top: "0" is not a whole number from 1 to 1000000
[2]

$ look --example cat --output x.jpg
attend: error: --output: the name "x.jpg" does not end in .svg, .pdf or .png
[2]

$ look --example cat -o x.svg --json
attend: error: --output takes a picture, but --json asks for text: it goes to standard output
[2]

$ look --example cat -o x.svg --rows sat
attend: error: --output takes a picture, but --rows asks for text: it goes to standard output
[2]

$ look --example cat --width 100
attend: error: --width is that of a picture in a file: it needs --output
[2]

$ look --example cat -o x.png --width 1
attend: error: --width: "1" is not a whole number from 64 to 8000
[2]

$ look --example cat --head 2
attend: error: --head: there is no head 2 (allowed 1 to 1)
[2]

$ look --example heads --head 3
attend: error: --head: there is no head 3 (allowed 1 to 2)
[2]

$ look --example cat --rows dog
attend: error: --rows: there is no token "dog"
hint: the tokens are numbered too: --rows '#1,#4'
[2]

$ look --example cat --rows the,
attend: error: --rows: there is no token ""
hint: the tokens are numbered too: --rows '#1,#4'
[2]

$ look --example cat --ceiling 0
attend: error: --ceiling is 0: the colour scale needs some length
[2]

$ look --example cat --ceiling 1.5
attend: error: --ceiling: "1.5" is not a number from 0 to 1
[2]

$ look --example cat --theme blue
attend: error: --theme: "blue" is not one of light, dark
[2]

$ look --example cat --causal --compare-causal
attend: error: --causal, --no-causal and --compare-causal exclude each other
[2]

$ look --example cat --causal --no-causal
attend: error: --causal, --no-causal and --compare-causal exclude each other
[2]

$ look --example cat --scale x
attend: error: --scale: "x" is not a finite number
[2]

$ look --example cat --rowz sat
attend: error: unknown option --rowz; did you mean --rows?
[2]

$ look --example cat --digits 18
attend: error: --digits: "18" is not a whole number from 0 to 17
[2]

$ look nothing.json
attend: error: nothing.json: cannot open: No such file or directory
[1]

$ look --example cat -o nowhere/x.svg
attend: error: nowhere/x.svg: No such file or directory
[1]

$ look - < wide
weights: a row for each query, a column for each key

                        a             a
                        n             n
                        t           w t w   w
                  w w w i w   w w w o i o   o
                  o o o d o 日o o o r d r 日r
                  r r r i r 本r r r d i d 本d
                  d d d s d # d d d 1 s 1 # 1
                  1 2 3 … 5 1 7 8 9 0 … 2 2 4
word1             ██╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱
word2             ░░▓▓╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱
word3             ··░░▓▓╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱
antidisestablis…  ░░░░░░░░╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱
word5             ····░░░░▒▒╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱
日本#1            ······░░▓▓··╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱
word7             ··░░··░░··░░··╱╱╱╱╱╱╱╱╱╱╱╱╱╱
word8             ······░░░░····░░╱╱╱╱╱╱╱╱╱╱╱╱
word9             ······░░▒▒······░░╱╱╱╱╱╱╱╱╱╱
word10            ····················╱╱╱╱╱╱╱╱
antidisestablis…  ······░░░░········░░··╱╱╱╱╱╱
word12            ······░░░░········▒▒····╱╱╱╱
日本#2            ··························╱╱
word14            ········░░········░░········

weight  · 0  ░ 0.25  ▒ 0.5  ▓ 0.75  █ 1   ╱╱ hidden from the query
"""


def wide_example():
    names = ["word%d" % (i + 1) for i in range(14)]
    names[3] = names[10] = "antidisestablishmentarianism"
    names[5] = names[12] = "日本"
    return {"tokens": names, "causal": True, "q": [[i % 3, i % 4 / 2] for i in range(14)],
            "k": [[i % 5 - 1, i % 2] for i in range(14)], "v": [[i] for i in range(14)]}


def run(command):
    environment = {**os.environ, "COLUMNS": "80"}
    words, _, name = command.partition(" < ")
    given = json.dumps(wide_example()) if name == "wide" else None
    done = subprocess.run([BINARY, *shlex.split(words)], input=given, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout + ("[%d]\n" % done.returncode if done.returncode else "")


class Text(unittest.TestCase):
    maxDiff = None

    def test_transcript(self):
        calls = TRANSCRIPT.strip("\n").split("\n$ ")
        self.assertGreater(len(calls), 30)
        for call in calls:
            command, _, expected = call.removeprefix("$ ").partition("\n")
            with self.subTest(command):
                self.assertEqual(run(command).strip("\n"), expected.strip("\n"))


if __name__ == "__main__":
    unittest.main()

import unittest

from template_engine import Template, TemplateError, render


class TemplateTest(unittest.TestCase):
    def test_values(self):
        self.assertEqual(render("Hi {{ user.name|upper }}!", user={"name": "Ada"}), "Hi ADA!")
        self.assertEqual(render("{{ xs.1 }}{{ xs|length }}", xs=[7, 8]), "82")

    def test_if(self):
        template = Template("{% if x %}yes{% else %}no{% endif %}")
        self.assertEqual([template.render({"x": 1}), template.render({"x": 0})], ["yes", "no"])

    def test_for(self):
        self.assertEqual(
            render("{% for x in xs %}{{ loop.index }}={{ x }} {% endfor %}", xs="ab".split() + ["c"]),
            "1=ab 2=c ",
        )

    def test_for_in_for(self):
        source = "{% for row in rows %}{% for x in row %}{{ x }}{% endfor %};{% endfor %}"
        self.assertEqual(render(source, rows=[[1, 2], [3]]), "12;3;")

    def test_with(self):
        self.assertEqual(render('{% with a = "x"|upper %}{{ a }}{{ a }}{% endwith %}'), "XX")

    def test_errors(self):
        for source in ("{{ nope }}", "{% for x %}{% endfor %}", "{% if x %}", "{% what %}", "{{ a"):
            with self.assertRaises(TemplateError):
                render(source, x=1)
